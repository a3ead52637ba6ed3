// Refuses words in comments, documents and test titles that stop a reader: old-fashioned ones, and private ones for standard
// things. CONTRIBUTING.md has the words to use instead.
import { describe, expect, it } from 'vitest'
import { type SourceFile, sourceFile, sourceFiles } from './source-files.js'

/** What is refused, with the word to use instead. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bbesides\b/i, 'also, except'],
  [/\bbehind\b/i, 'after'],
  [/\btold\b|\btells?\b|\btelling\b/i, 'say, report, show'],
  [/\bkept\b/i, 'cached, stored, held'],
  [/\blies?\b/i, 'is, starts'],
  [/\bwhoever\b|\baught\b|\bnaught\b|\bthereof\b|\bkin\b|\bfarewell\b|\bof late\b/i, 'a plain word'],
  [/(?:^|[.:;] )Who\b/, 'a subject: "the caller", "a client"'],
  [/\bnot yet told\b|\bis told of\b|\btells? the tale\b|\bslip of the pen\b/i, 'report, typo'],
  [/\bwhat is left of\b/i, 'the rest of'],
  [/\b(?:in|beside|at) the same breath\b|\bgoes? on so\b|\bways? of (?:its|their) own\b/i, 'a plain phrase'],
  // "Where" is for places. Conditions begin with "if" or "when".
  [/\b(?:undefined|absent|true|false|nothing|zero|none|null|Throws|throws|-?\d+)`? where\b/, 'if'],
  [/\b(?:[A-Z]{4,}(?:_[A-Z]+)*|[A-Z]\w*Error|MalformedBytes)`?,? where\b/, 'if'],
  [
    /(?:^|[.:;,] |\band |\bor |\balso |\bexcept |\bonly )where (?:it|that|this|they|there|the|a|an|no|one|given|both|neither|either|all|none|nothing) (?:is|was|are|has|had|have|does|do|did|can|cannot|may|must|could|would|will)\b/i,
    'if, when',
  ],
]

interface Line {
  readonly place: string
  readonly text: string
}

/** Lines of comments; AssemblyScript's `@ts-expect-error` lines are for the compiler. */
function commentLines({ path, text }: SourceFile): Line[] {
  return text.split('\n').flatMap((line, i): Line[] => {
    const comment = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$/.exec(line) ?? /\s\/\/ (.*)$/.exec(line)
    return comment === null ? [] : [{ place: `${path}:${i + 1}`, text: comment[1]! }]
  })
}

/** Lines of a document outside of its code blocks; without tables in CONTRIBUTING.md, whose glossary has the words. */
function proseLines({ path, text }: SourceFile): Line[] {
  let isCode = false
  return text.split('\n').flatMap((line, i): Line[] => {
    const isFence = line.startsWith('```')
    if (isFence) isCode = !isCode
    const isGlossary = path === 'CONTRIBUTING.md' && line.startsWith('|')
    return isCode || isFence || isGlossary ? [] : [{ place: `${path}:${i + 1}`, text: line }]
  })
}

/** Titles that are on one line with `it(`, `describe(` or the end of a table of cases. */
function titleLines({ path, text }: SourceFile): Line[] {
  return text.split('\n').flatMap((line, i): Line[] => {
    const title = /^\s*(?:(?:it|test|describe)\b.*?|\]\))\((['"`])(.+?)\1/.exec(line)?.[2]
    return title === undefined ? [] : [{ place: `${path}:${i + 1}`, text: title }]
  })
}

function complaints(lines: readonly Line[]): string[] {
  return lines.flatMap(({ place, text }) =>
    refused.flatMap(([pattern, instead]) => {
      const found = pattern.exec(text)?.[0]
      return found === undefined ? [] : [`${place}: "${found}": write ${instead}`]
    }),
  )
}

describe('the words', () => {
  it('of comments are plain', () => {
    expect(complaints(sourceFiles('src', /\.ts$/).flatMap(commentLines))).toEqual([])
  })

  it('of documents are plain', () => {
    const folders = [...sourceFiles('docs', /\.md$/), ...sourceFiles('src', /\.md$/)]
    const top = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].flatMap((name) => sourceFile(name) ?? [])
    expect(complaints([...folders, ...top].flatMap(proseLines))).toEqual([])
  })

  it('of test titles are plain', () => {
    const titles = sourceFiles('test', /\.test\.ts$/).flatMap(titleLines)
    expect(titles.length).toBeGreaterThan(1_500)
    expect(complaints(titles)).toEqual([])
  })

  it('that are refused are found', () => {
    const text =
      '// Throws where it is gone.\nconst a = 1 // Made anew.\nconst behind = 2\n/** Where a row starts. */\n'
    const found = complaints(commentLines({ path: 'a.ts', text }))
    expect(found).toEqual(['a.ts:1: "Throws where": write if', 'a.ts:2: "anew": write again'])
  })
})
