// Runs our own processes under strace and reads from its records what they did to a directory.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** What names a path, and what changes or locks a file by its descriptor. A write needs a descriptor opened for it. */
const traced = '%file,fchmod,fchown,ftruncate,fallocate,flock,fcntl'

/** Whether strace can trace here. */
export function canTrace() {
  return spawnSync('strace', ['-f', '-qq', '-o', '/dev/null', 'true']).status === 0
}

/** Starts Node with the arguments, under strace if `record` names a file. */
export function startNode(args, record, stdin = 'ignore') {
  const stdio = [stdin, 'pipe', 'pipe']
  if (record === undefined) return spawn(process.execPath, args, { stdio })
  const options = ['-f', '-qq', '-y', '--seccomp-bpf', '-s', '4096', '-e', `trace=${traced}`, '-o', record]
  return spawn('strace', [...options, process.execPath, ...args], { stdio })
}

/** Where a server that is started listens, from what it says. */
export function urlOf(server) {
  let said = ''
  return new Promise((resolve, reject) => {
    server.stderr.on('data', (data) => {
      said = (said + data).slice(-10_000)
      const url = /on (http:[^\s"]+)/.exec(said)?.[1]
      if (url) resolve(url)
    })
    server.stdout.resume()
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)))
  })
}

/** Ends a process that {@link startNode} started. */
export async function endNode(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  // strace blocks signals and ends with what it traces.
  const traced = child.spawnfile === 'strace' ? tracedBy(child.pid) : []
  if (traced.length === 0) child.kill('SIGTERM')
  for (const pid of traced) process.kill(pid, 'SIGTERM')
  await ended
}

function tracedBy(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
}

const harmless =
  /^(stat|lstat|newfstatat|fstatat64|statx|access|faccessat|faccessat2|readlink|readlinkat|statfs|getcwd|chdir|inotify_add_watch)$/
const opening = /^(open|openat|openat2)$/
const writing = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE/
/** Asks about a descriptor or closes it on exec; locks are F_SETLK and the like. */
const harmlessControl = /F_(GETFL|GETFD|SETFD|DUPFD|DUPFD_CLOEXEC|GETLK)/

/** What the records of {@link startNode} say was done below `directory`: opens for reading, and everything else in full. */
export function auditTrace(record, directory) {
  const opened = new Set()
  const changes = []
  let opens = 0
  let looks = 0
  for (const line of readFileSync(record, 'utf8').split('\n')) {
    if (!line.includes(directory) || line.includes('<... ')) continue
    const name = /^\d+ +(\w+)\(/.exec(line)?.[1]
    if (name === undefined || /^execve/.test(name)) continue
    if (opening.test(name) && /O_RDONLY/.test(line) && !writing.test(line)) {
      opens++
      opened.add(/"([^"]*)"/.exec(line)?.[1])
    } else if (harmless.test(name) || (name === 'fcntl' && harmlessControl.test(line))) looks++
    else changes.push(line)
  }
  return { opens, looks, files: opened.size, changes }
}
