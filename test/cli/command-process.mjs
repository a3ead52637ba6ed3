// A process of run-cli.ts that runs command lines one after the other: each is a message, and so is its exit code. What a command
// writes to its streams ends with a mark, the first argument. A command has ended when it has nothing open, as a process of its own.
import { runCommandLine } from '../../dist/cli/run.js'

const mark = process.argv[2]
const streams = [process.stdout, process.stderr]
// Each command adds listeners; a process has one command otherwise.
for (const emitter of [process, ...streams]) emitter.setMaxListeners(0)

const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
/** Number of open things, without the streams and the channel of this process, which are pipes. */
const openNow = () => process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap').length

process.on('disconnect', () => process.exit())
process.on('message', async (args) => {
  await turn()
  const openBefore = openNow()
  process.exitCode = 0
  await runCommandLine(args)
  do await turn()
  while (openNow() > openBefore)
  for (const stream of streams) stream.write(mark)
  process.send(process.exitCode)
})
process.send('ready')
