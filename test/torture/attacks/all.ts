import { accounts } from './accounts.ts'
import { answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { bait } from './bait.ts'
import { bodies } from './bodies.ts'
import { connections } from './connections.ts'
import { control, warmUp } from './control.ts'
import { crowds } from './crowds.ts'
import { devices } from './devices.ts'
import { files } from './files.ts'
import { json } from './json.ts'
import { mcp } from './mcp.ts'
import { queries } from './queries.ts'
import { sends } from './sends.ts'
import { smsgate } from './smsgate.ts'
import { streams } from './streams.ts'
import { twilio } from './twilio.ts'

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
]

/** By name; throws for an unknown one. */
export function attackNamed(name: string): Attack {
  const found = [control, warmUp, ...ATTACKS].find((attack) => attack.name === name)
  if (!found) throw new Error(`There is no attack ${name}.`)
  return found
}
