"""Schedules, replays and tests of unfold-sym: replays.py UNFOLD_SYM SOLVER SUITE
or replays.py UNFOLD_SYM SOLVER distance [PART …]

findings: what is found is found again by a replay of its schedule, with its inputs, at its places,
and nothing else. tests: the executions that are written are replayed, and come to their ends; the
same inputs, fixed one by one, leave those executions. wrong: schedules and inputs that do not fit
are refused. coverage: lines and branches of a program, counted by hand, in every order. distance:
the order by distance knows ways through calls, threads, pointers, and what is none (ways.c).
"""
import json
import os
import re
import shutil
import subprocess
import sys

from symbolic import FINDINGS, FOLDER, HERE, PARTS, SOLVER, UNFOLD, explore, fail, failures, program, write

CASES = os.path.join(HERE, 'cases.c')


def replay(schedule, files, *options):
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--clang-flags', '-w', '--replay', schedule,
                           *files[:1], *options, *files[1:]], capture_output=True, text=True, cwd=FOLDER)
    try:
        return json.loads(done.stdout), done
    except ValueError:
        return {'defects': [], 'trace': []}, done


def without(defect, *keys):
    return {k: v for k, v in defect.items() if k not in ('count', 'schedule', 'probes', 'earlier') + keys}


def fresh(name):
    folder = os.path.join(FOLDER, name)
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def values_of(folder, name):
    with open(os.path.join(folder, name)) as file:
        line = file.read().split('\n')[1]
    return [int(v.split('=')[1]) for v in line.partition(' --input ')[2].split(',') if v]


def check_findings():
    for word, _, kinds, _, value in FINDINGS + [('overflow', 0, ['runtime'], '', None)]:
        if not kinds:
            continue
        folder = fresh('traces')
        more = ['--overflow'] if word == 'overflow' else []
        result, _, _ = explore([CASES, '--', word], '--trace-dir', folder, *more)
        for defect in result['defects']:
            if not defect.get('schedule'):
                fail(f'{word}: no schedule: {defect}')
                continue
            again, done = replay(os.path.join(folder, defect['schedule']), [CASES, '--', word], *more)
            # of an address that depends on inputs a replay knows what it is
            keys = ('text',) if defect['kind'] == 'memory' else ()
            found = [without(d, *keys) for d in again['defects']]
            if found != [without(defect, *keys)] or done.returncode != 1:
                fail(f'{word}: {without(defect)}, and replayed {found}, {done.returncode}', done.stderr)
            if value is not None and value not in values_of(folder, defect['schedule']):
                fail(f'{word}: {value} is not in the schedule')


ASSERTION = 'assert(s != 7 || x != 2);'
TWO = program({'x': (0, 2), 'y': (0, 1)}, 'static int s;',
              ['lock(&m); s += x; unlock(&m);', 'if (y) { lock(&m); s = 5; unlock(&m); } ' + ASSERTION])


def check_tests():
    folder = fresh('tests')
    file = write('two.c', TWO.replace(ASSERTION, ''))
    result, _, _ = explore([file], '--tests', folder)
    names = sorted(os.listdir(folder))
    # one where y is 0, two orders where it is 1, and an assumption of each input that does not hold
    seen = [result.get(k) for k in ('complete', 'blocked', 'tests')]
    if seen != [3, 2, 5] or len(names) != 5:
        fail(f'{names}: {seen}', str(result.get('error')))
    complete = 0
    for name in names:
        again, done = replay(os.path.join(folder, name), [file])
        complete += again.get('complete', 0)
        if done.returncode != 0 or not again.get('finished') or again['defects']:
            fail(f'{name}: {done.returncode}', done.stderr)
    if complete != result['complete']:
        fail(f'{complete} of the tests are complete, not {result["complete"]}')
    for y in range(2):
        alone, listed, _ = explore([file], f'--input=x=1,y={y}')
        if [alone['complete'], alone['blocked']] != [1 + y, 0] or any(e['constraint'] for e in listed):
            fail(f'y = {y}: {alone["complete"]} + {alone["blocked"]} executions, {listed}')
    alone, _, _ = explore([file], '--input=y=1')
    if [alone['complete'], alone['blocked']] != [2, 1]:
        fail(f'y alone: {alone["complete"]} + {alone["blocked"]} executions')
    # what was written for an exploration that began again goes
    folder = fresh('again')
    result, _, _ = explore([CASES, '--', 'swaps'], '--tests', folder)
    if len(os.listdir(folder)) != result['traces'] or result['traces'] == 0:
        fail(f'{os.listdir(folder)} of {result["traces"]} executions')
    for name in os.listdir(folder):
        _, done = replay(os.path.join(folder, name), [CASES, '--', 'swaps'])
        if done.returncode not in (0, 1) or 'does not fit' in done.stderr:
            fail(f'swaps {name}: {done.returncode}', done.stderr)


def check_wrong():
    folder = fresh('traces')
    file = write('two.c', TWO.replace('!= 7', '!= 5'))
    result, _, status = explore([file], '--trace-dir', folder)
    schedule = os.path.join(folder, 'trace-1.unfs')
    if status != 1 or not os.path.exists(schedule):
        fail(f'no defect: {result}')
        return
    with open(schedule) as text:
        lines = text.read().split('\n')
    other = os.path.join(folder, 'other.unfs')

    def refused(what, words, program_file=file):
        _, done = replay(other, [program_file])
        if done.returncode != 2 or not re.search(words, done.stderr):
            fail(f'{what}: {done.returncode}, {done.stderr}')

    def damaged(changed):
        body = '\n'.join(changed[:-2]) + '\n'
        total = 0xcbf29ce484222325
        for byte in body.encode():
            total = (total ^ byte) * 0x100000001b3 % 2**64
        with open(other, 'w') as out:
            out.write(body + f'checksum {total:016x}\n')

    damaged([lines[0], lines[1].replace('two.c', 'three.c')] + lines[2:])
    refused('another program', 'this is a schedule of three.c')
    damaged([lines[0], lines[1].replace('--input 0=', '--input 0')] + lines[2:])
    refused('wrong inputs', 'this is a schedule of two.c')
    damaged(lines[:2] + ['0.1 rel mutex - 3'] + lines[2:])
    refused('a step too early', r'step 1 does not fit .*two\.c: the schedule has 0\.1 rel')
    damaged(lines[:4] + lines[-2:])
    again, done = replay(other, [file])
    if done.returncode != 3 or again.get('stopped') != 'the schedule ends before the execution does':
        fail(f'cut short: {done.returncode}, {again.get("stopped")}', done.stderr)
    damaged([lines[0], lines[1].split(' --input')[0] + ' --input 0=99999999999,0=0'] + lines[2:])
    again, done = replay(other, [file])
    if done.returncode != 4 or 'which has 32 bits' not in str(again.get('uncontrolled')):
        fail(f'too large: {done.returncode}, {again.get("uncontrolled")}', done.stderr)
    with open(other, 'w') as out:
        out.write('nothing\n')
    refused('no schedule', r'other\.unfs:1:')
    file = write('two.c', TWO.replace(ASSERTION, ''))
    for text, words in [('x', 'not NAME=VALUE'), ('x=', 'not NAME=VALUE'), ('=3', 'not NAME=VALUE'),
                        ('x=3z', 'not NAME=VALUE'), ('z=3', 'no execution asks for that')]:
        done = subprocess.run([UNFOLD, '--solver', SOLVER, '--clang-flags', '-w', '--input', text, file],
                              capture_output=True, text=True, cwd=FOLDER)
        if done.returncode != 2 or words not in done.stderr:
            fail(f'--input {text}: {done.returncode}, {done.stderr}')


COVERED = program({'x': (0, 9)}, 'static int s;', ["""
  lock(&m);
  if (x > 3)
    s++;
  if (s > 7)
    s = 0;
  unlock(&m);
"""])


def check_coverage():
    file = write('covered.c', COVERED)
    lines = COVERED.split('\n')
    tests = {lines.index('  if (x > 3)') + 1: [True, True], lines.index('  if (s > 7)') + 1: [False, True]}
    for options in [(), ('--order=bfs',), ('--cover-first',), ('--cover-first', '--algorithm=sdpor')]:
        lcov = os.path.join(FOLDER, 'lcov')
        result, _, _ = explore([file], '--coverage', lcov, *options)
        with open(lcov) as text:
            records = [r.split(':', 1) for r in text.read().split('\n') if ':' in r]
        ways = {line: [int(v.split(',')[3]) > 0 for k, v in records if k == 'BRDA' and v.startswith(f'{line},')]
                for line in tests}
        taken = {int(v.split(',')[0]): int(v.split(',')[1]) for k, v in records if k == 'DA'}
        missed = [line for line, count in taken.items() if count == 0]
        wanted = {k: v for k, v in records if k in ('LF', 'LH', 'BRF', 'BRH')}
        seen = {k: str(v) for k, v in zip(('LF', 'LH', 'BRF', 'BRH'), (result.get('coverage') or {}).values())}
        if ways != tests or missed != [lines.index('    s = 0;') + 1] or ['SF', 'covered.c'] not in records:
            fail(f'{options}: {ways}, {missed}', str(records))
        if seen != wanted or [result.get('complete'), result.get('blocked')] != [2, 1]:
            fail(f'{options}: {seen}, {wanted}, {result.get("complete")} + {result.get("blocked")}', str(result))
    done = subprocess.run([UNFOLD, '--solver', SOLVER, '--coverage', '/dev/full', file], capture_output=True,
                          text=True, cwd=FOLDER)
    if done.returncode != 2 or '/dev/full could not be written' not in done.stderr:
        fail(f'/dev/full: {done.returncode}, {done.stderr}')


WAYS = {'thread': 'assertion', 'pointer': 'runtime', 'behind': 'assertion', 'outcome': 'runtime', 'stops': 'assertion',
        'prints': 'assertion', 'divides': 'assertion', 'reads': 'assertion', 'unwritten': 'assertion',
        'longer': 'assertion', 'between': 'assertion', 'many': 'runtime'}


def check_distance():
    """Code behind five tests, each after two that lead nowhere, and before twelve: by distance it
    takes a few executions, and otherwise thousands. Then each sort of way by itself."""
    for part in failures.chosen(['deep', *WAYS], PARTS):
        if part == 'deep':
            check_deep()
        else:
            check_way(part, WAYS[part])


def check_deep():
    file = os.path.join(HERE, 'deep.c')
    for options, most, found in [(('--cover-first',), 12, True), (('--cover-first', '--algorithm=sdpor'), 12, True),
                                 (('--order=bfs',), 200, False), ((), 200, False)]:
        result, _, _ = explore([file], '--stop-at-first', f'--max-executions={most}', *options)
        if found != (result['stopped'] == 'first') or found != bool(result['defects']):
            fail(f'by distance, {options}: {result["stopped"]} after {result["executions"]} executions')


def check_way(word, kind):
    result, _, _ = explore([os.path.join(HERE, 'ways.c'), '--', word], '--cover-first', '--max-executions=20',
                           flags='-DALONE' if word == 'pointer' else '')
    if kind not in [d['kind'] for d in result['defects']]:
        fail(f'by distance, {word}: not found in {result["executions"]} executions')


SUITES = {'distance': check_distance, 'coverage': check_coverage, 'findings': check_findings, 'tests': check_tests, 'wrong': check_wrong}
if __name__ == '__main__':
    SUITES[sys.argv[3]]()
    print(f'{sys.argv[3]}: {len(failures)} failed')
    sys.exit(1 if failures else 0)
