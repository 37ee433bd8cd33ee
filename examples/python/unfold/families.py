"""The ready effect families: FIFO channels, mailboxes with selective receive, futures. The library
says which message a thread gets; the messages themselves are the engine's.
"""
from __future__ import annotations

import ctypes
from typing import Any

from . import raw
from .base import Thread
from .lifetime import checked
from .unfolding import Unfolding
from .values import (Action, Channel, ChannelOutcome, Future, FutureOutcome, Mailbox,
                     MailboxMessage, MailboxOutcome, Operation)


class Ready:
    """A family of the library, registered in an unfolding; `number` is that of the family."""
    _register: Any

    def __init__(self, unfolding: Unfolding) -> None:
        self.unfolding = checked(unfolding, Unfolding)
        self.number = int(self.unfolding._get(type(self)._register, ctypes.c_uint32))


class Channels(Ready):
    """Channels: messages are received in the order in which they were sent. doc/families.md says
    what depends on what."""
    _register = raw.unf_channel_register

    def channel(self, key: int, capacity: int = raw.UNF_CHANNEL_UNBOUNDED) -> Channel:
        """The channel with a key, which holds so many messages."""
        return Channel.of(self.unfolding._get(raw.unf_channel_name, raw.unf_channel, self.number,
                                              key, capacity))

    @staticmethod
    def send(channel: Channel, message: int = 0) -> Operation:
        """Waits for room, and sends; SEND_CLOSED if the channel is closed."""
        return Operation.of(raw.unf_channel_send(channel.to_raw(), message))

    @staticmethod
    def try_send(channel: Channel, message: int = 0) -> Operation:
        """Sends, or finds the channel full, or closed."""
        return Operation.of(raw.unf_channel_try_send(channel.to_raw(), message))

    @staticmethod
    def receive(channel: Channel) -> Operation:
        """Waits for a message, or for the channel to be closed and empty."""
        return Operation.of(raw.unf_channel_receive(channel.to_raw()))

    @staticmethod
    def try_receive(channel: Channel) -> Operation:
        """Receives, or finds the channel empty, or closed and empty."""
        return Operation.of(raw.unf_channel_try_receive(channel.to_raw()))

    @staticmethod
    def close(channel: Channel) -> Operation:
        """Closes the channel."""
        return Operation.of(raw.unf_channel_close(channel.to_raw()))

    @staticmethod
    def did(action: Action) -> tuple[ChannelOutcome, int]:
        """What an action is, and the number of the message."""
        number = ctypes.c_uint64()
        found = raw.unf_channel_did(ctypes.byref(action.to_raw()), ctypes.byref(number))
        return ChannelOutcome(found), number.value


class Mailboxes(Ready):
    """Mailboxes: each belongs to one thread, which alone receives, by tags."""
    _register = raw.unf_mailbox_register

    def mailbox(self, owner: Thread, key: int = 0) -> Mailbox:
        """The mailbox of a thread that has a key among its own."""
        return Mailbox.of(self.unfolding._get(raw.unf_mailbox_name, raw.unf_mailbox, self.number,
                                              owner, key))

    @staticmethod
    def send(mailbox: Mailbox, sender: int, tag: int = 0) -> Operation:
        """Sends a message with a tag; `sender` is a number that only this thread has."""
        return Operation.of(raw.unf_mailbox_send(mailbox.to_raw(), sender, tag))

    @staticmethod
    def receive(mailbox: Mailbox, tags: int = raw.UNF_MAILBOX_ANY) -> Operation:
        """Waits for a message with one of these tags, a bit 1 << tag for each, and takes it."""
        return Operation.of(raw.unf_mailbox_receive(mailbox.to_raw(), tags))

    @staticmethod
    def try_receive(mailbox: Mailbox, tags: int = raw.UNF_MAILBOX_ANY) -> Operation:
        """Takes such a message, or finds that there is none."""
        return Operation.of(raw.unf_mailbox_try_receive(mailbox.to_raw(), tags))

    @staticmethod
    def did(action: Action) -> tuple[MailboxOutcome, MailboxMessage]:
        """What an action is, and the message."""
        message = raw.unf_mailbox_message()
        found = raw.unf_mailbox_did(ctypes.byref(action.to_raw()), ctypes.byref(message))
        return MailboxOutcome(found), MailboxMessage.of(message)


class Futures(Ready):
    """Futures: each is set once, and read by all who wait for it."""
    _register = raw.unf_future_register

    def future(self, key: int) -> Future:
        """The future with a key."""
        return Future.of(self.unfolding._get(raw.unf_future_name, raw.unf_future, self.number, key))

    @staticmethod
    def set(future: Future, value: int = 0) -> Operation:
        """Sets it to a value, which the engine keeps."""
        return Operation.of(raw.unf_future_set(future.to_raw(), value))

    @staticmethod
    def get(future: Future) -> Operation:
        """Waits until it is set, and reads it."""
        return Operation.of(raw.unf_future_get(future.to_raw()))

    @staticmethod
    def poll(future: Future) -> Operation:
        """Reads it, or finds that it is not set."""
        return Operation.of(raw.unf_future_poll(future.to_raw()))

    @staticmethod
    def did(action: Action) -> FutureOutcome:
        """What an action is."""
        return FutureOutcome(raw.unf_future_did(ctypes.byref(action.to_raw())))
