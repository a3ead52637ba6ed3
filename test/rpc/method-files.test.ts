// CONTRIBUTING.md says that a method of the EVM with a result of a new shape is made of four files.
import { expect, it } from 'vitest'
import { sourceFile, sourceFiles } from '../source-files.js'

it('makes a method of the EVM of the four files that CONTRIBUTING.md names', () => {
  const files = sourceFiles('src', /\.ts$/)
    .filter(({ text }) => /fillTransaction|filledTransaction|FilledTransaction/.test(withoutComments(text)))
    .map(({ path }) => path)
  expect(files.toSorted()).toEqual([
    'src/evm/fill-transaction.ts',
    'src/rpc/encoding/filled-transaction.ts',
    'src/rpc/methods/call.ts',
    'src/view/run-evm.ts',
  ])
  const guide = sourceFile('CONTRIBUTING.md')!.text
  for (const file of files) expect(guide).toContain(`\`${file}\``)
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}
