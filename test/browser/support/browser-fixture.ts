import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { cutPlace } from '../../../console/src/language/words.ts'
import { readTranslations } from '../../console/catalogues.ts'
import { freePort } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { type RunningProgram, serve } from '../../support/server/program.ts'
import { until } from '../../support/until.ts'
import { type Browser, openBrowser, SCREENS, type Screen } from './browser.ts'

export type Say = (english: string, values?: Readonly<Record<string, string | number>>) => string

/** The console's texts in another language, by the English ones. */
export const catalogueOf = (language: string): ReadonlyMap<string, string> =>
  language === 'en' ? new Map() : readTranslations(language)

/** Says a text of the console as a browser of this locale shows it. */
function makeSay(locale: string): Say {
  const catalogue = catalogueOf(locale.slice(0, 2))
  return (english, values = {}) =>
    (catalogue.get(english) ?? cutPlace(english)).replace(/\{(\w+)\}/g, (all, name) =>
      String(values[name] ?? all),
    )
}

// How to add a scenario: a file `test/browser/NAME.test.ts` with
//
//   scenario('a contact is added', async (stage) => {
//     await stage.signIn()                                  // as ANN, by the form
//     await stage.visit('/contacts')                        // a page of the console
//     await stage.page.getByRole('button', { name: 'Add a contact' }).click()
//     …                                       // playwright, what a person sees: roles, labels, words
//     await stage.look('contacts')                          // pictures in both themes, axe-core
//   })
//
// It runs once for each screen, each time over a server of its own on an empty database. It fails, too, when
// the page logs an error, an answer is over 399 (`stage.refused` where that must be), a request goes to
// another host, or axe-core finds something serious. `npm run test:browser -- NAME` runs one file; pictures
// are in coverage/browser.

const HOST = '127.0.0.1'
const LINK = /http\S+pbinstall\S+(?=\s)/

export const ROOT = { email: 'boss@example.com', password: 'bosspass12345' } as const
export const ANN = { email: 'ann@example.com', password: 'ann-password1' } as const

interface Options {
  readonly locale?: string
  readonly zone?: string
  readonly ms?: number
  readonly widths?: readonly number[]
  /** The host in the server's address. Passkeys need a name. */
  readonly host?: string
}

const SCREEN_NAMES = Object.keys(SCREENS) as Screen[]
/** The console has its navigation below in narrower windows. */
const PHONE_PX = 720

/** A server with an open browser before it. */
export interface BrowserFixture extends Browser {
  readonly screen: Screen
  /** A text of the console in the browser's language, by the English one. */
  readonly say: Say
  readonly url: string
  /** The link that the server printed at its first start. */
  readonly link: string
  /** What the server has logged so far. */
  output(): string
  /**
   * The server's SDK client of a new superuser (ROOT), and of a new user (ANN): made when they are first
   * asked for.
   */
  root(): Promise<PocketBase>
  ann(): Promise<PocketBase>
  /** Signs in by the form, as ANN or as ROOT, who are made if need be. */
  signIn(who?: 'ann' | 'root'): Promise<void>
  /** Signs out by the navigation. */
  signOut(): Promise<void>
  /** Opens a page of the console and waits for its title. */
  visit(path: string): Promise<void>
}

/**
 * A test for each screen. `env`: settings of its server. `locale` and `zone` are the browser's. `ms`: how
 * long it may take. `widths`: in pixels, of windows to play it in instead.
 */
export function scenario(
  name: string,
  play: (fixture: BrowserFixture) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
  { locale = 'en-US', zone, ms, widths, host = HOST }: Options = {},
): void {
  const windows: readonly (readonly [where: string, screen: Screen, width?: number])[] = widths
    ? widths.map((width) => [`at ${width} pixels`, width < PHONE_PX ? 'phone' : 'desktop', width])
    : SCREEN_NAMES.map((screen) => [`on a ${screen}`, screen])
  for (const [where, screen, width] of windows)
    test(`${name}, ${where}`, { ...(ms && { timeout: ms }) }, async () => {
      const server = await startServer(env, host)
      const browser = await openBrowser(server.url, screen, locale, zone, width)
      try {
        await play(stageOf(server, await printedLink(server), browser, screen, makeSay(locale)))
        expect(browser.faults).toEqual([])
      } catch (error) {
        await browser.page.screenshot({
          path: `${import.meta.dirname}/../../../coverage/browser/failed.png`,
        })
        throw error
      } finally {
        await browser.close()
        await server.stop()
      }
    })
}

async function startServer(
  env: Readonly<Record<string, string>>,
  host: string,
): Promise<RunningProgram> {
  const port = await freePort()
  const base = {
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: '',
    HOST,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  }
  const url = `http://${host}:${port}`
  return { ...(await serve({ ...base, PUBLIC_URL: url, ...env })), url }
}

/** It comes a moment after the server answers. */
async function printedLink(server: RunningProgram): Promise<string> {
  await until('the link', () => LINK.test(server.output()))
  return LINK.exec(server.output())![0]
}

function stageOf(
  server: RunningProgram,
  link: string,
  browser: Browser,
  screen: Screen,
  say: Say,
): BrowserFixture {
  const { url } = server
  const root = once(() => makeRoot(url, link))
  const ann = once(async () => makeAnn(url, await root()))
  return {
    ...browser,
    screen,
    say,
    url,
    link,
    output: server.output,
    root,
    ann,
    async signIn(who = 'ann') {
      await (who === 'ann' ? ann() : root())
      await fillSignIn(browser, url, who, say)
    },
    async signOut() {
      const { page } = browser
      if (screen === 'phone') await page.getByRole('button', { name: say('More') }).click()
      await page
        .getByRole('button', { name: say('Sign out'), exact: true })
        .filter({ visible: true })
        .click()
      await page.getByRole('heading', { name: say('Sign in') }).waitFor()
    },
    async visit(path) {
      await browser.page.goto(`${url}/#${path}`)
      await browser.page.locator('main h1').first().waitFor()
    },
  }
}

/** Signs in by the form, as a user or as the superuser who is there. */
export async function fillSignIn(
  { page }: Browser,
  url: string,
  who: 'ann' | 'root',
  say: Say,
): Promise<void> {
  const { email, password } = who === 'ann' ? ANN : ROOT
  await page.goto(`${url}/`)
  await page.getByText(say(who === 'ann' ? 'User' : 'Superuser'), { exact: true }).click()
  await page.getByLabel(say('Email')).fill(email)
  await page.getByLabel(say('Password')).fill(password)
  await page.getByRole('button', { name: say('Sign in') }).click()
  await page.getByRole('heading', { name: say('Sign in') }).waitFor({ state: 'detached' })
}

/** Presses an entry of the page's menu of actions. */
export async function chooseAction(
  { page, say }: Pick<BrowserFixture, 'page' | 'say'>,
  name: string,
): Promise<void> {
  await page.getByRole('button', { name: say('Actions'), exact: true }).click()
  await page.locator('.row-menu').getByText(say(name), { exact: true }).click()
}

async function makeRoot(url: string, link: string): Promise<PocketBase> {
  const pb = new PocketBase(url)
  const headers = { authorization: link.replace(/^.*pbinstall\//, '') }
  await pb
    .collection('_superusers')
    .create({ ...ROOT, passwordConfirm: ROOT.password }, { headers })
  await pb.collection('_superusers').authWithPassword(ROOT.email, ROOT.password)
  return pb
}

async function makeAnn(url: string, root: PocketBase): Promise<PocketBase> {
  const { id } = await root
    .collection('users')
    .create({ ...ANN, passwordConfirm: ANN.password, name: 'Ann', verified: true })
  await root.collection('user_settings').create({ user: id, country: 'DE', undo_seconds: 0 })
  const pb = new PocketBase(url)
  await pb.collection('users').authWithPassword(ANN.email, ANN.password)
  return pb
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
