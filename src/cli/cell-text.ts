// Texts of values in a table for a person, and in CSV.

/** The text with control characters as escapes: a text from a contract must not start lines or move the cursor. */
export function plainText(text: string): string {
  return text.replaceAll(
    controls,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const controls = /[\u0000-\u001f\u007f-\u009f]/g

/** A field of CSV, in quotes if it needs them. */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
