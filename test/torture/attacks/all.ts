import { setTimeout as sleep } from 'node:timers/promises'
import { accounts } from './accounts.ts'
import { answers } from './answers.ts'
import { type Attack, addContacts, asUser } from './attack.ts'
import { bodies, connections } from './connections.ts'
import { crowds } from './crowds.ts'
import { devices } from './devices.ts'
import { files } from './files.ts'
import { bait, json } from './json.ts'
import { mcp } from './mcp.ts'
import { parsers } from './parsers.ts'
import { queries } from './queries.ts'
import { sends } from './sends.ts'
import { smsgate } from './smsgate.ts'
import { send } from './sockets.ts'
import { streams } from './streams.ts'
import { twilio } from './twilio.ts'

/** Nothing happens. The victim's figures without any attack. */
export const control: Attack = { name: 'no attack', who: 'guest', attack: (run) => run.end }

/** Ordinary work of another user, not judged: fills caches before memory is measured. */
export const warmUp: Attack = {
  name: 'warm-up',
  who: 'user',
  prepare: asUser(async (user, target) => {
    await target.addDevice(user)
    await addContacts(target, user, 500)
  }),
  async attack(run) {
    const recipients = Array.from({ length: 100 }, (_, i) => `+4915${1e6 + i}`)
    const shots = [
      { path: '/api/collections/contacts/records?perPage=500&expand=user&sort=-created' },
      { path: '/api/sms/send', body: JSON.stringify({ recipients, body: 'Hello' }) },
      { path: '/api/collections/sms_messages/records?perPage=500&filter=status%3D%22assigned%22' },
      { path: '/api/openapi.json' },
      { path: '/api/collections/boards/records?perPage=500' },
    ]
    const work = async (first: number) => {
      for (let turn = first; !run.isOver(); turn++) {
        run.count(await send(run, shots[turn % shots.length]!))
        await sleep(10)
      }
    }
    await Promise.all([0, 1, 2, 3].map(work))
  },
}

/** All attacks, a file a family. */
export const ATTACKS: readonly Attack[] = [
  ...bait,
  ...json,
  ...bodies,
  ...connections,
  ...crowds,
  ...streams,
  ...queries,
  ...answers,
  ...accounts,
  ...sends,
  ...devices,
  ...files,
  ...twilio,
  ...smsgate,
  ...mcp,
  ...parsers,
]

/** By name; throws for an unknown one. */
export function attackNamed(name: string): Attack {
  const found = [control, warmUp, ...ATTACKS].find((attack) => attack.name === name)
  if (!found) throw new Error(`There is no attack ${name}.`)
  return found
}
