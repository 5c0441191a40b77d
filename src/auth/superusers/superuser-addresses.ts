import type { Db } from '../../db/open.ts'
import { ApiError, type FieldError, UserError } from '../../errors.ts'
import { SettingsStore } from '../../settings/settings-store.ts'
import { recordTerminalAudit } from './audit.ts'

const NAME = 'superuserIPs'

/**
 * Sets the addresses and subnets that superusers may use ([] for all); returns the former. By terminal, as a
 * wrong list locks all out. Audited. Throws a UserError. PocketBase: cmd/superuser.go, superuserIPsCommand
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

/** The errors are keyed by position in the list. */
const explain = (faults: unknown, places: readonly string[]): UserError =>
  new UserError(
    Object.entries(faults as Readonly<Record<string, FieldError>>)
      .map(([i, { message }]) => `${places[Number(i)]}: ${message}`)
      .join('\n'),
  )
