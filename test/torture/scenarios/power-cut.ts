import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedData } from '../../support/database/embedded-data.ts'
import {
  type Client,
  makeUser,
  pairDevice,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import { Disk, whyNoDisk } from '../disk.ts'
import { ServerNode } from '../node.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'
import { type Acknowledged, Senders } from '../senders.ts'

const SENDERS = 16
const PAUSE_MS = 10
const PAGE = 500

/**
 * The power of a disk is cut while a server sends: what was acknowledged is still there, and the database
 * starts.
 */
export const powerCut: Scenario = {
  name: 'power-cut',
  what: 'the power of the disk cut under load (Linux, as root)',
  rounds: 20,
  async run(context) {
    const why = whyNoDisk()
    if (why) return { faults: [], figures: `NOT RUN: ${why}` }
    return cutOften(context)
  },
}

async function cutOften(context: ScenarioContext): Promise<Outcome> {
  const disk = new Disk()
  const data = new EmbeddedData(join(disk.path, 'data'))
  data.make()
  const node = new ServerNode(context.basePort, { ...data.env, DEVICE_ONLINE_SECONDS: '86400' })
  await node.start()
  const root = await signIn(node.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  const user = await makeUser(node.url, root)
  await pairDevice(node.url, user, { platform: 'simulator' })
  const senders = new Senders({
    urls: [node.url],
    user,
    count: SENDERS,
    pauseMs: PAUSE_MS,
  })
  const faults: string[] = []
  try {
    senders.start()
    for (let cut = 1; cut <= context.rounds; cut++) {
      const before = senders.acknowledged.length
      await sleep(300 + Math.random() * 2_500)
      disk.cutPower(() => [node.pid, ...data.processes()])
      const acknowledged = senders.acknowledged.slice()
      if (acknowledged.length === before) faults.push(`nothing was accepted before cut ${cut}`)
      await node.kill()
      await node.start()
      faults.push(...(await lost(root, acknowledged)).map((fault) => `cut ${cut}: ${fault}`))
      if (cut % 5 === 0) context.say(`${cut} cuts, ${acknowledged.length} sends acknowledged`)
    }
    return {
      faults,
      figures: `${context.rounds} cuts, ${senders.acknowledged.length} sends acknowledged`,
    }
  } finally {
    const ended = senders.stop()
    await node.kill()
    await Promise.race([ended, sleep(1_000)])
    await data.stop()
    disk.remove()
  }
}

/** What was acknowledged and is not there, or is there twice; a few examples. */
async function lost(root: Client, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const numbers = new Map<string, string>()
  const faults: string[] = []
  for (let page = 1; ; page++) {
    const path = `/api/collections/sms_messages/records?fields=id,to&skipTotal=1&sort=@rowid&perPage=${PAGE}&page=${page}`
    const { items } = (await root.call('GET', path)).body as { items: { id: string; to: string }[] }
    for (const { id, to } of items) {
      if (numbers.has(to)) faults.push(`stored twice: the message to ${to}`)
      numbers.set(to, id)
    }
    if (items.length < PAGE) break
  }
  for (const { ids, recipients } of acknowledged)
    for (const [i, id] of ids.entries())
      if (numbers.get(recipients[i]!) !== id) faults.push(`acknowledged, but not stored: ${id}`)
  return faults.length > 5 ? [...faults.slice(0, 5), `… and ${faults.length - 5} more`] : faults
}
