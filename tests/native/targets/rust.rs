// Rust's locks, channels and scoped threads: rust CASE [wrong].
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::{mpsc, Arc, Condvar, Mutex, RwLock};
use std::thread;

// Wrong: the second thread takes the locks in the other order.
fn mutex(wrong: bool) {
    let (a, b) = (Mutex::new(0), Mutex::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            let (one, two) = if wrong { (&b, &a) } else { (&a, &b) };
            let mut first = one.lock().unwrap();
            *two.lock().unwrap() += 1;
            *first += 1;
        });
        let mut first = a.lock().unwrap();
        *b.lock().unwrap() += 1;
        *first += 1;
    });
    assert_eq!(*a.lock().unwrap(), 2);
}

// Wrong: it is said first, and done later.
fn condvar(wrong: bool) {
    let (sent, ready) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            if wrong {
                ready.notify_one();
            }
            *sent.lock().unwrap() = true;
            if !wrong {
                ready.notify_one();
            }
        });
        let mut seen = sent.lock().unwrap();
        while !*seen {
            seen = ready.wait(seen).unwrap();
        }
    });
}

// Wrong: what was read under one lock is written under another.
fn rwlock(wrong: bool) {
    let lock = RwLock::new(0);
    let work = || {
        if wrong {
            let before = *lock.read().unwrap();
            *lock.write().unwrap() = before + 1;
        } else {
            *lock.write().unwrap() += 1;
        }
    };
    thread::scope(|s| {
        s.spawn(work);
        work();
    });
    assert_eq!(*lock.read().unwrap(), 2);
}

// Wrong: the first message is thought to come from the first sender.
fn channel(wrong: bool) {
    let (send, receive) = mpsc::channel();
    let again = send.clone();
    let thread = thread::spawn(move || again.send(2).unwrap());
    send.send(1).unwrap();
    let first: i32 = receive.recv().unwrap();
    let second: i32 = receive.recv().unwrap();
    thread.join().unwrap();
    assert!(if wrong { first == 1 } else { first + second == 3 });
}

// Wrong: a read and a write, where one step was meant.
fn scoped(wrong: bool) {
    let count = AtomicI32::new(0);
    let add = || {
        if wrong {
            count.swap(count.fetch_add(0, SeqCst) + 1, SeqCst);
        } else {
            count.fetch_add(1, SeqCst);
        }
    };
    thread::scope(|s| {
        s.spawn(add);
        add();
    });
    assert_eq!(count.load(SeqCst), 2);
}

// Wrong: the end of the thread is not waited for.
fn joined(wrong: bool) {
    let done = Arc::new(AtomicI32::new(0));
    let there = done.clone();
    let thread = thread::spawn(move || there.store(1, SeqCst));
    if !wrong {
        thread.join().unwrap();
    }
    if done.load(SeqCst) != 1 {
        std::process::exit(1);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let wrong = words.len() > 2;
    match words[1].as_str() {
        "mutex" => mutex(wrong),
        "condvar" => condvar(wrong),
        "rwlock" => rwlock(wrong),
        "channel" => channel(wrong),
        "scoped" => scoped(wrong),
        "joined" => joined(wrong),
        _ => panic!("no such case"),
    }
}
