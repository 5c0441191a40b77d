import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../support/database/postgres.ts'
import { openBrowser } from '../support/browser.ts'
import { fillSignIn, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

/** What a connection does with bytes. `deaf`: those to the server pass, its answers do not. */
type Mode = 'pass' | 'silent' | 'deaf' | 'slow'

const SLOW_MS = 2_000

/** A bad connection between a browser and a server. */
export interface Proxy {
  readonly url: string
  mode: Mode
  /** Connections that there are go silent for ever; new ones do not. */
  silencePresent(): void
  /** Ends all connections with a reset. */
  reset(): void
  stop(): void
}

/** Opens a TCP proxy to the server of `url`. */
async function startProxy(url: string): Promise<Proxy> {
  const [port, { hostname, port: target }] = [await freePort(), new URL(url)]
  const pairs = new Set<{ isSilent: boolean; near: Socket; far: Socket }>()
  const proxy = {
    url: `http://${hostname}:${port}`,
    mode: 'pass' as Mode,
    silencePresent() {
      for (const pair of pairs) pair.isSilent = true
    },
    reset() {
      for (const { near, far } of pairs) for (const socket of [near, far]) socket.resetAndDestroy()
    },
    stop() {
      proxy.reset()
      server.close()
    },
  }
  const server = createServer((near) => {
    const pair = { isSilent: false, near, far: connect(Number(target), hostname) }
    pairs.add(pair)
    const pass = (to: Socket, isAnswer: boolean) => {
      let passed = Promise.resolve()
      return (bytes: Buffer) => {
        const { mode } = proxy
        if (pair.isSilent || mode === 'silent' || (mode === 'deaf' && isAnswer)) return
        const waited =
          mode === 'slow' ? new Promise((done) => setTimeout(done, SLOW_MS)) : undefined
        // behind what is still on its way, whatever the mode was then
        passed = passed.then(() => waited).then(() => void to.write(bytes))
      }
    }
    near.on('data', pass(pair.far, false))
    pair.far.on('data', pass(near, true))
    for (const [socket, other] of [
      [near, pair.far],
      [pair.far, near],
    ] as const)
      socket
        .on('error', () => {})
        .on('close', () => {
          pairs.delete(pair)
          other.destroy()
        })
  })
  await new Promise<void>((done) => server.listen(port, hostname, done))
  return proxy
}

const ZOE = '+4915112345678'

scenario(
  'a silent connection is noticed, and no text is lost or sent twice',
  async (fixture) => {
    const { url, screen, say } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'Desk phone')
    await phone.hear(ZOE, 'Hello')
    const proxy = await startProxy(url)
    const far = await openBrowser(proxy.url, screen)
    const { page } = far
    try {
      await fillSignIn(far, proxy.url, 'ann', say)
      await page.goto(`${proxy.url}/#/conversations/${encodeURIComponent(ZOE)}`)
      const log = page.getByRole('log')
      await log.getByText('Hello').waitFor()
      await page.getByLabel('Answer from Desk phone').waitFor()
      const bar = page.getByText('No connection.')
      const write = async (text: string, tab = page) => {
        await tab.getByLabel('Answer from Desk phone').fill(text)
        await tab.getByRole('button', { name: 'Send', exact: true }).click()
      }
      const second = await page.context().newPage()
      await second.goto(page.url())
      await second.getByLabel('Answer from Desk phone').waitFor()
      const sent = async () =>
        (
          await ann
            .collection('sms_messages')
            .getFullList({ filter: 'message_type = "outgoing"', sort: 'created' })
        ).map(({ body }) => body)

      const later = async () => (await sent()).slice(2)
      const kept = () =>
        page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('outbox'))`)

      // it is told within 10 s; what is sent is kept, and what was missed is read
      proxy.mode = 'silent'
      await bar.waitFor({ timeout: 10_000 })
      await write('Kept')
      await write('Kept, too', second)
      await log.getByText('Not sent yet').nth(1).waitFor()
      await far.look('offline')
      await phone.hear(ZOE, 'Missed')
      expect(await sent()).toEqual([])
      proxy.mode = 'pass'
      await log.getByText('Missed').waitFor()
      await bar.waitFor({ state: 'hidden' })
      await expect.poll(kept).toEqual([])
      expect((await sent()).toSorted()).toEqual(['Kept', 'Kept, too'])
      await second.close()

      // an answer that is lost on a connection that works
      proxy.mode = 'deaf'
      await write('Again')
      await expect.poll(later).toEqual(['Again'])
      proxy.mode = 'pass'
      proxy.reset()
      await expect.poll(kept).toEqual([])
      await bar.waitFor({ state: 'hidden' }) // else the next text waits for a connection

      // a text whose answer is lost goes once, though the page is closed meanwhile
      proxy.mode = 'deaf'
      await write('Once')
      await expect.poll(later).toEqual(['Again', 'Once'])
      await bar.waitFor({ timeout: 10_000 })
      proxy.mode = 'pass'
      proxy.reset()
      await page.reload()
      await log.getByText('Once').waitFor()
      await expect.poll(kept).toEqual([])
      expect(await later()).toEqual(['Again', 'Once'])

      // a slow connection sends once, too
      proxy.mode = 'slow'
      await write('Slowly')
      await expect.poll(later).toEqual(['Again', 'Once', 'Slowly'])
      proxy.mode = 'pass'
      await expect.poll(kept).toEqual([])
      expect(await later()).toEqual(['Again', 'Once', 'Slowly'])

      // a stream alone that hears nothing is opened anew
      proxy.silencePresent()
      await phone.hear(ZOE, 'After 30 s')
      await log.getByText('After 30 s').waitFor({ timeout: 50_000 })
    } finally {
      await far.close()
      proxy.stop()
    }
    // on a bad connection a page that is loaded ahead comes too late, and a stream ends before its topics
    const isOfConnection = (fault: string) => / 408$|realtime: 404$/.test(fault)
    expect(far.faults.filter((fault) => !isOfConnection(fault))).toEqual([])
  },
  {},
  { ms: 240_000 },
)
