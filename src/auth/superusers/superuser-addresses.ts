import type { Db } from '../../db/open.ts'
import { ApiError, type FieldError, UserError } from '../../errors.ts'
import { SettingsStore } from '../../settings/settings-store.ts'
import { recordTerminalAudit } from './audit.ts'

const NAME = 'superuserIPs'

/**
 * Sets from where superusers may come: addresses and subnets, [] for anywhere; answers where it was until
 * now. At the terminal, since who is locked out by a wrong list can change it nowhere else; servers that run
 * hear of it. Throws a UserError that names what is no address. It is written down as done at the terminal.
 * PocketBase: cmd/superuser.go, superuserIPsCommand
 */
export async function setSuperuserAddresses(db: Db, places: readonly string[]): Promise<readonly string[]> {
  const settings = await SettingsStore.open(db)
  let before: readonly string[] = []
  try {
    await settings.save({ [NAME]: places }, async (tx, { superuserIPs }) => {
      before = superuserIPs
      await recordTerminalAudit(tx, { action: 'update settings', fields: [NAME] })
    })
    return before
  } catch (error) {
    throw error instanceof ApiError && error.data[NAME] ? explain(error.data[NAME], places) : error
  } finally {
    await settings.close()
  }
}

/** Errors are by the place in the list. */
const explain = (faults: unknown, places: readonly string[]): UserError =>
  new UserError(
    Object.entries(faults as Readonly<Record<string, FieldError>>)
      .map(([i, { message }]) => `${places[Number(i)]}: ${message}`)
      .join('\n'),
  )
