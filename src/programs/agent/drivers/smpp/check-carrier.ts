import { UserError } from '../../../../platform/errors.ts'
import { statusName } from './library.ts'
import { bindsOf, openSession } from './session.ts'
import type { Settings } from './settings.ts'

/** Binds and unbinds once. Throws a UserError that says what the carrier answered. */
export async function checkCarrier(settings: Settings, say: (line: string) => void): Promise<void> {
  const { host, port, system_id } = settings
  for (const bind of bindsOf(settings)) {
    const what = `${bind} as ${system_id} at ${host}:${port}`
    const refuse = () => Promise.reject(new Error('only a check'))
    const session = await openSession(settings, bind, refuse).catch((error: Error) => {
      throw new UserError(`${what}: ${error.message}`)
    })
    await session.close()
    say(`${what}: ${statusName(0)}`)
  }
}
