import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import PocketBase from 'pocketbase'
import { freePort } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { PROGRAM } from '../../support/server/program-files.ts'

const PATIENCE_MS = 240_000

/** The last test finds the database of the first. */
const folder = temporaryFolder()

/** Starts the demo as a newcomer does; `done` when it says that it is done, or ends. */
function startDemo(port: number, command = 'demo', at = folder) {
  const { DATABASE_URL: _, ...env } = process.env
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, command], {
    env: { ...env, DATA_DIR: join(at, 'data'), HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const done = new Promise<void>((resolve) => {
    const hear = (chunk: Buffer) => {
      output += chunk
      if (output.includes('the superuser:')) resolve()
    }
    child.stdout!.on('data', hear)
    child.stderr!.on('data', hear)
    void exited.then(() => resolve())
  })
  const stop = () => {
    child.kill('SIGINT')
    return exited
  }
  return { done, exited, output: () => output, stop }
}

test(
  'the demo sends, delivers and receives texts, prints working commands and can be repeated',
  async () => {
    const port = await freePort()
    const first = startDemo(port)
    await first.done
    const text = first.output()
    for (const line of [
      /Ann Baker +accepted/,
      /Ben Carter +sending +Phone/,
      /Chloé Martin +delivered +Phone/,
      /I will be there!/,
    ])
      expect(text).toMatch(line)

    const [curl] = /^curl .*\n.*again"}'$/m.exec(text) ?? []
    const answer = JSON.parse(
      execFileSync('sh', ['-c', curl!], { stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
    )
    expect(answer).toMatchObject({ status: 'accepted', recipients_count: 1 })

    const [, email, password] = /authWithPassword\('(.+?)', '(.+?)'\)/.exec(text) ?? []
    const pb = new PocketBase(`http://127.0.0.1:${port}`)
    await pb.collection('users').authWithPassword(email!, password!)
    // a person with a name writes notes, and the console reads numbers without a code as British
    expect(pb.authStore.record!.name).toBe('Sam Reed')
    expect(await pb.collection('user_settings').getFirstListItem('')).toMatchObject({
      account_name: 'Corner Bike Shop',
      country: 'GB',
    })
    const messages = await pb.collection('sms_messages').getFullList({ expand: 'device' })
    expect(messages.length).toBe(19)
    const conversations = await pb.collection('conversations').getFullList({ sort: '-last_at' })
    expect(conversations).toHaveLength(10)
    // of the day's texts, exactly the answered ones are read; the curl above has answered the first
    expect(conversations.slice(1).map(({ unread }) => unread > 0)).toEqual(
      conversations.slice(1).map(({ last_type }) => last_type === 'incoming'),
    )
    expect(new Set(conversations.map(({ last_at }) => last_at.slice(0, 16))).size).toBe(10)
    // a program of this computer gets the calls of a webhook, without a restart of the demo
    const webhook = {
      user: pb.authStore.record!.id,
      url: 'http://localhost:9/',
      events: ['message.sent'],
    }
    expect(await pb.collection('webhooks').create(webhook)).toMatchObject({ enabled: true })
    expect(await first.stop(), first.output()).toBe(0)

    const second = startDemo(port)
    await second.done
    expect(second.output()).not.toMatch(/accepted/)
    expect(/X-API-Key: (\w+)/.exec(second.output())![1]).toBe(/X-API-Key: (\w+)/.exec(text)![1])
    await pb
      .collection('users')
      .authWithPassword(email!, /authWithPassword\('.+?', '(.+?)'\)/.exec(second.output())![1]!)
    expect(await pb.collection('sms_messages').getFullList()).toHaveLength(messages.length)
    expect(await pb.collection('api_keys').getFullList()).toHaveLength(1)
    expect(await pb.collection('devices').getFullList()).toHaveLength(2)
    expect(await pb.collection('contacts').getFullList()).toHaveLength(12)
    expect(await pb.collection('members').getFullList()).toHaveLength(2)
    const [, colleague, word] = /a colleague: +(\S+) \/ (\S+)/.exec(second.output())!
    await pb.collection('users').authWithPassword(colleague!, word!)
    expect(await second.stop(), second.output()).toBe(0)
  },
  PATIENCE_MS,
)

test.each(['demo', 'serve'])(
  'a port in use is reported by %s in a plain message, before a database is made',
  async (command) => {
    const taken = createServer()
    const port = await freePort()
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve))
    const other = temporaryFolder()
    const demo = startDemo(port, command, other)
    expect(await demo.exited).toBe(1)
    expect(demo.output()).toContain(`Port ${port} on 127.0.0.1 is taken`)
    expect(demo.output()).not.toContain('    at ')
    expect(existsSync(join(other, 'data'))).toBe(false)
    await new Promise((resolve) => taken.close(resolve))
  },
  PATIENCE_MS,
)
