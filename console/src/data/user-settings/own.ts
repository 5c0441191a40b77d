import { computed, effect, signal } from '@preact/signals'
import { language } from '../../language/language.ts'
import { goToPage } from '../../router.ts'
import { setAccountLocale } from '../account-locale.ts'
import { pb } from '../client.ts'
import type { Fault } from '../fault.ts'
import type { Hours } from '../hours.ts'
import type { UserSettings } from '../record-types.ts'
import { hasTeamRole, readUserId, session } from '../session.ts'
import { accountZone } from '../time-zones.ts'
import { findSettings, type SettingsChange, saveUserSettings } from './save.ts'

/** The settings read last, and their user. `record` is absent if the user has saved no settings. */
const known = signal<{ readonly user: string; readonly record?: UserSettings }>()

/** The settings of the session's account; null if none were saved, undefined until read. */
export const ownSettings = computed((): UserSettings | null | undefined => {
  const mine = known.value?.user === session.value?.record.id ? known.value : undefined
  return mine && (mine.record ?? null)
})

effect(() => {
  const { time_zone: zone = '', country = '' } = ownSettings.value ?? {}
  accountZone.value = zone
  setAccountLocale({ language, country, zone })
})

export const ownHours = computed((): Hours | undefined => {
  const settings = ownSettings.value
  if (!settings?.quiet_from) return undefined
  return { from: settings.quiet_from, to: settings.quiet_to, days: settings.quiet_days }
})

/** The last save. Two at once would both create the record, and the server would refuse one of them. */
let lastSave: Promise<unknown> = Promise.resolve()

/** Saves settings of the session's account, also if the person switches to another meanwhile. */
export async function saveOwnSettings(change: SettingsChange): Promise<void> {
  const user = readUserId()
  const { token } = pb.authStore
  const saving = lastSave.then(() => saveUserSettings(user, change, token))
  lastSave = saving.catch(() => {})
  const record = await saving
  if (isShown(user)) known.value = { user, record }
}

/** Whether the session is still of this account. */
const isShown = (user: string): boolean => session.peek()?.record.id === user

/** Reads the settings when the account changes. After an error, tries again when the token is renewed. */
export function watchOwnSettings(): void {
  effect(() => {
    const { value } = session
    if (value?.role !== 'user' || !hasTeamRole('viewer')) return
    const user = value.record.id
    if (known.peek()?.user !== user && reading !== user) void readOwnSettings(user)
  })
}

/** The user whose settings are being read; a token that is renewed meanwhile causes no second read. */
let reading = ''

async function readOwnSettings(user: string): Promise<void> {
  const before = known.peek()
  reading = user
  try {
    const record = await findSettings(user)
    // keeps settings that were saved during the read, because they are newer
    if (known.peek() === before && isShown(user)) known.value = { user, ...(record && { record }) }
  } catch (error) {
    // the next refresh tries again. A 403: the owner must set up a second factor first
    if ((error as Fault).status === 403) goToPage('/account')
  } finally {
    if (reading === user) reading = ''
  }
}
