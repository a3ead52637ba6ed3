// Texts for a person, in which nothing moves the cursor, and fields of CSV.

/** The text with control characters as escapes: a text from a contract must not start lines or move the cursor. */
export function plainText(text: string): string {
  return text.replaceAll(
    controls,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const controls = /[\u0000-\u001f\u007f-\u009f]/g

/** As {@link plainText}, but lines and tabs stay: for messages that repeat what a chain, a file or a partner says. */
export function plainLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, plainText)
}

/** A field of CSV, in quotes if it needs them. */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
