import { ClientResponseError } from 'pocketbase'
import { pb } from '../client.ts'
import type { User, UserSettings } from '../records.ts'

export type SettingsChange = Partial<UserSettings>

/** Changes settings of a user. Creates the record if there is none. Throws the server's errors. */
export async function saveUserSettings(user: string, change: SettingsChange): Promise<UserSettings> {
  const settings = pb.collection<UserSettings>('user_settings')
  const found = await findSettings(user)
  if (found) return settings.update(found.id, change)
  try {
    return await settings.create({ user, ...change })
  } catch (error) {
    const isTaken =
      error instanceof ClientResponseError && error.response.data?.user?.code === 'validation_not_unique'
    const other = isTaken ? await findSettings(user) : undefined
    if (!other) throw error
    return settings.update(other.id, change)
  }
}

/**
 * The settings of a user; undefined if none were saved. Reads them through the user's record, because that
 * fails with 404 for an invalid token, while a list of settings would only be empty.
 */
export async function findSettings(user: string): Promise<UserSettings | undefined> {
  const found = await pb.collection<User>('users').getOne(user, { expand: 'user_settings_via_user' })
  return found.expand?.user_settings_via_user
}
