import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Browser } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/**
 * The path of Chromium (Debian package `chromium`); undefined if it is missing. If `CI` is set, it must exist.
 *
 * @throws Error if it is missing in CI
 */
export function chromiumPath(): string | undefined {
  const paths = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
  const found = paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  if (found !== undefined) return found
  if (process.env.CI) throw new Error('Chromium is missing: apt-get install -y chromium')
  console.warn('SKIPPED: the tests of pages need Chromium: apt-get install -y chromium')
  return undefined
}

/** Starts Chromium without a window. */
export async function startChromium(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  // CI runs as root, which cannot use the sandbox; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
