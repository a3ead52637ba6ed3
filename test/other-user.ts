// Runs a function of the build as a user who may not read what is closed: root may read everything, so that a test as root needs another one.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** User and group of `nobody` on Debian; no file belongs to them. */
const nobody = 65_534

/** The JSON of what an expression gives, or the code and message of its error. Names are those that a file of dist exports. */
export function asOtherUser(expression: string, file: string): string {
  const module = JSON.stringify(new URL(`../dist/${file}`, import.meta.url).href)
  const names = /^\w+/.exec(expression)![0]
  const program = `import { ${names} } from ${module}
    if (process.getuid() === 0) {
      process.setgroups([])
      process.setgid(${nobody})
      process.setuid(${nobody})
    }
    try {
      process.stdout.write(JSON.stringify(${expression}))
    } catch (error) {
      process.stdout.write(error.code + ': ' + error.message)
    }`
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' })
}
