import type { CarrierAccount, CarrierBody } from '../../data/carriers/carriers.ts'
import { isObject } from '../../data/is-object.ts'

type Parts = Readonly<Record<string, unknown>>

/** Parts that are replaced as a whole. */
const WHOLE = new Set(['body', 'headers', 'when'])

function mergeParts(old: unknown, change: Parts): Parts {
  const base = isObject(old) ? old : {}
  const changed = Object.entries(change).map(([name, value]) => [
    name,
    isObject(value) && !WHOLE.has(name) ? mergeParts(base[name], value) : value,
  ])
  return { ...base, ...Object.fromEntries(changed) }
}

const isEmptyPart = (value: unknown) =>
  value === undefined ||
  value === '' ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

/** Leaves out the parts that a person has emptied. */
function dropEmptyParts(parts: Parts): Parts {
  const filled = Object.entries(parts).map(([name, value]) => [
    name,
    isObject(value) && !WHOLE.has(name) ? dropEmptyParts(value) : value,
  ])
  return Object.fromEntries(filled.filter(([, value]) => !isEmptyPart(value)))
}

/** The part of a carrier's own interface that each of its other parts needs. */
const NEEDED = { receipt: 'ref', incoming: 'from', signature: 'kind' } as const

function makeInterface(given: Parts): Parts {
  const lacking = Object.entries(NEEDED).filter(([part, name]) =>
    isEmptyPart((given[part] as Parts)?.[name]),
  )
  const { send, ...rest } = given as { send?: Parts }
  const { body, ...sent } = send ?? {}
  const left = Object.entries({ ...rest, send: sent.method === 'GET' ? sent : { ...sent, body } })
  return Object.fromEntries(left.filter(([name]) => !lacking.some(([part]) => part === name)))
}

/** A setting after its change; unchanged settings stay exactly as they are stored. */
function mergeChange(name: string, old: unknown, change: unknown): unknown {
  if (!isObject(change)) return change
  const whole = mergeParts(old, change)
  return dropEmptyParts(name === 'custom' ? makeInterface(whole) : whole)
}

/** The request for an account: its stored settings with the changes of a form. */
export function makeBody(stored: CarrierAccount, changes: Parts): CarrierBody {
  const { name, secret, webhook_secret, ...settings } = changes
  const parts = Object.entries(settings).map(([key, value]) => [
    key,
    mergeChange(key, stored[key], value),
  ])
  const emptied = new Set(parts.filter(([, value]) => isEmptyPart(value)).map(([key]) => key))
  const whole = Object.entries({ ...stored, ...Object.fromEntries(parts) })
  const account = Object.fromEntries(whole.filter(([key]) => !emptied.has(key)))
  return {
    ...dropEmptyParts({ name, secret, webhook_secret }),
    account: { ...account, preset: stored.preset },
  }
}
