import { existsSync } from 'node:fs'
import { CHROMIUM } from './support/browser.ts'

/** What `npm run prepare` writes last; `vite build` alone does not. */
const AGENT = new URL('../../console/dist/agent.tgz', import.meta.url)

/** Before all scenarios: says what is missing and how to get it. */
export function setup(): void {
  if (!existsSync(CHROMIUM))
    throw new Error(
      `There is no Chromium at ${CHROMIUM}. Install it (Debian: apt-get install chromium), or set CHROMIUM to where it is.`,
    )
  if (!existsSync(AGENT)) throw new Error('The console is not built: npm run prepare.')
}
