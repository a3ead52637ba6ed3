// Makes the site: the pages of docs/ and the reference of every export, by TypeDoc, into site/. A warning is a failure: a link
// that leads nowhere, an export without a comment. `npm run docs` runs it. TypeDoc is installed apart from the other packages, since it needs
// the compiler of TypeScript 6 (docs/decisions.md).
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, 'node_modules/.cache/site')
const staged = join(cache, 'pages')

/** The pages in their order, by group. The name of a page on the site is the last part of its path, or that of its folder. */
const groups = {
  Learn: ['docs/start.md', 'docs/concepts.md', 'docs/comparison.md', 'docs/faq.md', 'examples/README.md'],
  Guides: [
    'docs/logs.md',
    'docs/calls.md',
    'docs/traces.md',
    'docs/datasets.md',
    'docs/recipes.md',
    'docs/lakes.md',
    'python/README.md',
    'docs/sql.md',
    'docs/reports.md',
    'docs/following.md',
    'docs/operations.md',
    'docs/deployment.md',
    'examples/indexer/README.md',
  ],
  Reference: [
    'docs/json-rpc.md',
    'docs/errors.md',
    'docs/differences.md',
    'docs/speed.md',
    'docs/api.md',
    'CHANGELOG.md',
  ],
  Inside: ['docs/architecture.md', 'docs/decisions.md', 'SECURITY.md', 'CONTRIBUTING.md'],
}

const pages = Object.values(groups).flat()

function stagedName(page) {
  const name = page.endsWith('README.md') ? `${dirname(page).split('/').at(-1)}.md` : page.split('/').at(-1)
  return name.toLowerCase()
}

/** The text of a page with links to the other pages, and to the repository for what is no page. */
function withLinks(page, text) {
  return text.replace(/\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (_, path, anchor = '') => {
    const target = relative(root, resolve(root, dirname(page), path))
    if (pages.includes(target)) return `](${stagedName(target)}${anchor})`
    if (/\.(?:svg|png)$/.test(target)) return `](${relative(staged, join(root, target))})`
    return `](${repository}/blob/main/${target}${anchor})`
  })
}

const {
  repository: { url },
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const repository = url.replace(/^git\+|\.git$/g, '')

rmSync(staged, { recursive: true, force: true })
mkdirSync(staged, { recursive: true })
const documents = Object.entries(groups).flatMap(([group, paths]) =>
  paths.map((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const title = /^# (.+)$/m.exec(text)[1]
    const file = join(staged, stagedName(page))
    writeFileSync(
      file,
      `---\ntitle: ${JSON.stringify(title)}\ngroup: ${group}\n---\n${withLinks(page, text)}`,
    )
    return file
  }),
)
const readme = join(staged, 'readme.md')
writeFileSync(readme, withLinks('README.md', readFileSync(join(root, 'README.md'), 'utf8')))

cpSync(join(root, 'docs/site'), cache, { recursive: true })
execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
  cwd: cache,
  stdio: 'inherit',
  shell: true,
})
const { Application } = await import(pathToFileURL(join(cache, 'node_modules/typedoc/dist/index.js')).href)
const app = await Application.bootstrapWithPlugins({
  name: 'geth-reader',
  entryPoints: [
    ...['src/index.ts', 'src/arrow.ts', 'src/server/geth-server.ts'].map((file) => join(root, file)),
  ],
  tsconfig: join(root, 'tsconfig.build.json'),
  // `npm run typecheck` checks types, by another version of the compiler.
  skipErrorChecking: true,
  readme,
  projectDocuments: documents,
  out: join(root, 'site'),
  githubPages: false,
  disableGit: true,
  sourceLinkTemplate: `${repository}/blob/main/{path}#L{line}`,
  excludeInternal: true,
  excludePrivate: true,
  sort: ['documents-first', 'kind', 'source-order'],
  groupOrder: [...Object.keys(groups), '*'],
  navigation: { includeGroups: true },
  // test/api-docs.test.ts checks that types are exported.
  validation: { notExported: false, invalidLink: true, invalidPath: true, notDocumented: true },
  highlightLanguages: ['python', 'bash', 'sh', 'ts', 'js', 'json', 'sql', 'ini'],
  requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Function', 'Variable', 'Method'],
})
const project = await app.convert()
if (project !== undefined) {
  app.validate(project)
  await app.generateOutputs(project)
}
if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1
