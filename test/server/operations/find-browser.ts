// Finds a browser of the Chromium family on this machine.
import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/** Path of a browser: what CHROME_PATH names, which must be there, else one at a usual place; undefined for none. */
export function findBrowser(): string | undefined {
  const named = process.env['CHROME_PATH']
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROME_PATH: there is no ${named}`)
    return named
  }
  return usualPlaces.find((path) => existsSync(path))
}
