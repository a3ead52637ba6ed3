// What the doctor reports: one line for each thing, with advice if something can be done.
import { plainText } from '../cell-text.js'

/** `note`: it works, but less than it could. `problem`: something that one would expect does not work. */
export interface Finding {
  readonly level: 'ok' | 'note' | 'problem'
  readonly subject: string
  readonly text: string
  readonly advice?: string
}

/** Findings under a heading. */
export interface Section {
  readonly title: string
  readonly findings: readonly Finding[]
}

export function ok(subject: string, text: string): Finding {
  return { level: 'ok', subject, text }
}

export function note(subject: string, text: string, advice?: string): Finding {
  return { level: 'note', subject, text, ...(advice !== undefined && { advice }) }
}

/** The report for a person. */
export function formatSections(sections: readonly Section[]): string {
  const width = Math.max(...sections.flatMap(({ findings }) => findings.map(({ subject }) => subject.length)))
  const lines = sections.flatMap(({ title, findings }) => [
    title,
    ...findings.flatMap(({ level, subject, text, advice }) => [
      `  ${level.padEnd(7)}  ${subject.padEnd(width)}  ${text}`,
      ...(advice === undefined ? [] : [`  ${' '.repeat(7)}  ${' '.repeat(width)}  ${advice}`]),
    ]),
  ])
  // A message may repeat what is in a directory.
  return lines.map(plainText).join('\n')
}
