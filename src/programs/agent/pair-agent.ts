import { GatewayError, UserError } from '../../platform/api-errors.ts'
import { PAIRING_CODE, readTypedCode } from '../../portable/typed-code.ts'
import { saveState } from './agent-state.ts'
import { callServer, ServerUnavailable } from './server-link.ts'

const PAIR_PATH = /\/api\/devices\/pair\/?$/

/** Returns the server's URL, and the code: `code`, else the address's `#CODE`. Throws a UserError. */
export function readPairing(address: string, code: string): { url: string; code: string } {
  if (!URL.canParse(address))
    throw new UserError(`${address} is not an address. An address begins with https:// or http://.`)
  const { protocol, hash, origin, pathname } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new UserError(`${address} does not begin with https:// or http://.`)
  const digits = readTypedCode(code || hash.slice(1).replaceAll('%20', ' '))
  if (!PAIRING_CODE.test(digits)) throw new UserError('A pairing code has 6 digits.')
  return { url: `${origin}${pathname}`.replace(PAIR_PATH, '').replace(/\/+$/, ''), code: digits }
}

/**
 * Pairs the device and stores its token. If `device.name` is '', the device gets the name given when the
 * code was made. Throws a UserError if the server refuses or fails.
 */
export async function pairAgent(
  url: string,
  code: string,
  device: Readonly<Record<'name' | 'platform' | 'phone', string>>,
  fileOf: (id: string) => string,
) {
  try {
    const { body } = await callServer<{ token: string; record: { id: string; name: string } }>(
      { url, token: '' },
      '/api/devices/pair',
      { code, ...device },
    )
    const { id, name } = body.record
    const state = { url, token: body.token, device: id, name, code }
    const file = fileOf(id)
    saveState(file, state)
    return { ...state, file }
  } catch (error) {
    if (error instanceof ServerUnavailable || error instanceof GatewayError)
      throw new UserError(error.message)
    throw error
  }
}
