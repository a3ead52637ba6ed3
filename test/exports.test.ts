// Every exported name has one owner and at least one reader, and no function or class member of the product exists for tests alone.
// AssemblyScript sources are left out: build/kernel.mjs compiles them apart from the rest.
import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { roomOf, type SourceFile, sourceFiles } from './source-files.js'

/** Findings that a room may still have. Lower the numbers as rooms are cleaned; never raise them. */
const allowedUnread: Readonly<Record<string, number>> = {}
const allowedUnused: Readonly<Record<string, number>> = {}

/** Shapes of the public API that have the name of the thing they show, as the record inside the library has. */
const publicShapes = ['Block', 'BlockTag', 'Log', 'Transaction', 'Withdrawal']

interface ExportedName {
  readonly file: SourceFile
  readonly name: string
}

const product = sourceFiles('src', /\.ts$/).filter(
  ({ path }) => !path.endsWith('.d.ts') && !path.includes('/assembly/'),
)

/** Files whose exports are read by users or by name, not by an import: entries of the package and of threads. */
const entries = new Set([
  ...['src/index.ts', 'src/arrow.ts', 'src/server/geth-server.ts', 'src/cli.ts', 'src/demo.ts'],
  ...product.flatMap(({ text }) =>
    [...text.matchAll(/packageFile\('dist\/([^']+)\.js'/g)].map(([, module]) => `src/${module}.ts`),
  ),
])
const readers = [...sourceFiles('test', /\.m?[tj]s$/), ...sourceFiles('bench', /\.m?[tj]s$/)]

const exported = product.flatMap((file): ExportedName[] => {
  const declaration =
    /^export (?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm
  return [...file.text.matchAll(declaration)].map(([, name]) => ({ file, name: name! }))
})

/** `path#name` of everything that the files import or export again. */
function importedNames(files: readonly SourceFile[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { path, text } of files) {
    const named = /(?:import|export)\s+(?:type\s+)?\{([^{}]*)\}\s+from\s+'(\.[^']+)'/g
    const loaded = /\{([^{}]*)\}\s*=\s*await\s+import\(\s*'(\.[^']+)'\s*\)/g
    const member = /\(await import\('(\.[^']+)'\)\)\.(\w+)/g
    const members = [...text.matchAll(member)].map(([all, target, name]) => [all, name, target])
    for (const [, names, target] of [...text.matchAll(named), ...text.matchAll(loaded), ...members]) {
      const source = join(dirname(path), target!)
        .replace(/\.js$/, '.ts')
        .replace(/^dist\//, 'src/')
      for (const part of names!.split(',')) {
        const name = part
          .trim()
          .replace(/^type /, '')
          .split(/\s+as\s+|:/)[0]!
        if (name !== '') found.add(`${source}#${name}`)
      }
    }
  }
  return found
}

/** Whether the file that exports a name also uses it. */
function isUsedByOwner({ file, name }: ExportedName): boolean {
  const code = file.text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  return [...code.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1
}

/** Whether a name is in the signature of an exported function of its file. Declaration files need such names. */
function isInSignature({ file, name }: ExportedName): boolean {
  const signatures = file.text.matchAll(/^export (?:async )?function\*? [\s\S]*? \{$/gm)
  return [...signatures].some(([signature]) => new RegExp(`\\b${name}\\b`).test(signature))
}

/** The findings of rooms that have more than they may, each with its file. */
function excess(findings: readonly ExportedName[], allowed: Readonly<Record<string, number>>): string[] {
  const count = (room: string) => findings.filter(({ file }) => roomOf(file.path) === room).length
  return findings
    .filter(({ file }) => count(roomOf(file.path)) > (allowed[roomOf(file.path)] ?? 0))
    .map(({ file, name }) => `${file.path}: ${name}`)
}

/** Members that tests alone read, because nothing else shows what they promise: bounds on open files, leases that end. */
const membersForTests = ['Ledger.counters', 'OpenTables.openFileCount']

/** Classes whose members others call: users of the package, and @ethereumjs/evm. */
const calledByOthers = /^src\/(api\/geth-chain|evm\/ethereumjs\/)/

/** `Class.member` of all exported classes. */
function classMembers({ path, text }: SourceFile): string[] {
  if (calledByOthers.test(path)) return []
  const classes = withoutComments(text).matchAll(/^export (?:abstract )?class (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)
  return [...classes].flatMap(([, name, body]) => {
    const members = body!.matchAll(
      /^ {2}(?:(?:static|async|override|readonly|get|set) |\*)*(\w+)(?=[(<:=]| =)/gm,
    )
    return [...members]
      .filter(([, member]) => member !== 'constructor')
      .map(([, member]) => `${name}.${member}`)
  })
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

/** Names after a dot, and names that an object is taken apart into. */
function readMembers(files: readonly SourceFile[]): ReadonlySet<string> {
  const code = files.map(({ text }) => withoutComments(text)).join('\n')
  const afterDot = [...code.matchAll(/\.(\w+)/g)].map(([, name]) => name!)
  const patterns = [...code.matchAll(/\{([^{}]*)\}\s*[:=]/g)].flatMap(
    ([, names]) => names!.match(/\w+/g) ?? [],
  )
  return new Set([...afterDot, ...patterns])
}

const importedBySource = importedNames(product)
const importedByReaders = importedNames(readers)
const withoutImport = exported.filter(
  ({ file, name }) => !entries.has(file.path) && !importedBySource.has(`${file.path}#${name}`),
)

describe('exported names', () => {
  it('are found at all', () => {
    expect(exported.length).toBeGreaterThan(500)
    expect(importedBySource).toContain('src/rlp/cursor.ts#RlpCursor')
  })

  it('have one owner', () => {
    const owners = new Map<string, string[]>()
    for (const { file, name } of exported) {
      if (!entries.has(file.path)) owners.set(name, [...(owners.get(name) ?? []), file.path])
    }
    const twice = [...owners].filter(([name, paths]) => paths.length > 1 && !publicShapes.includes(name))
    expect(twice).toEqual([])
  })

  it('are read by another file of src, or used by their own and read by a test or in a signature', () => {
    const unread = withoutImport.filter(
      (found) =>
        isUsedByOwner(found) &&
        !isInSignature(found) &&
        !importedByReaders.has(`${found.file.path}#${found.name}`),
    )
    expect(excess(unread, allowedUnread)).toEqual([])
  })

  it('of classes have members that the product uses', () => {
    const used = readMembers(product)
    const members = product.flatMap(classMembers)
    expect(members.length).toBeGreaterThan(500)
    expect(members.filter((member) => !used.has(member.split('.')[1]!)).sort()).toEqual(membersForTests)
  })

  it('are used by the product, not only by tests', () => {
    const unused = withoutImport.filter((found) => !isUsedByOwner(found))
    expect(excess(unused, allowedUnused)).toEqual([])
  })
})
