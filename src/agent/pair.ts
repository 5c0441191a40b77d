import { UserError } from '../errors.ts'
import { call, ServerRefusal, ServerUnavailable } from './server.ts'
import { type AgentState, saveState } from './state.ts'

/** A device's description when it joins. `name` '': the user gave one with the code. */
export interface DeviceInfo {
  readonly name: string
  readonly platform: string
  readonly phone: string
}

/** Path of a pairing address after the server's own. */
const PAIR_PATH = /\/api\/devices\/pair\/?$/

/** Reads server address and code, given separately or as a pairing address with the code after `#`. */
export function readPairing(address: string, code: string): { url: string; code: string } {
  if (!URL.canParse(address))
    throw new UserError(`${address} is no address. It begins with https:// or http://.`)
  const { protocol, hash, origin, pathname } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new UserError(`${address} does not begin with https:// or http://.`)
  const digits = code || hash.slice(1)
  if (!/^\d{6}$/.test(digits)) throw new UserError('A pairing code has 6 digits.')
  return { url: `${origin}${pathname}`.replace(PAIR_PATH, '').replace(/\/+$/, ''), code: digits }
}

/** Joins the user who made the code and stores the token in a state file. Throws a UserError. */
export async function pair(
  url: string,
  code: string,
  device: DeviceInfo,
  fileOf: (id: string) => string,
): Promise<AgentState & { readonly file: string }> {
  try {
    const { body } = await call<{ token: string; record: { id: string; name: string } }>(
      { url, token: '' },
      'POST',
      '/api/devices/pair',
      { code, ...device },
    )
    const { id, name } = body.record
    const state = { url, token: body.token, device: id, name, code }
    const file = fileOf(id)
    saveState(file, state)
    return { ...state, file }
  } catch (error) {
    if (error instanceof ServerUnavailable || error instanceof ServerRefusal)
      throw new UserError(error.message)
    throw error
  }
}
