import { ClientResponseError } from 'pocketbase'
import { pb } from '../client.ts'
import type { User, UserSettings } from '../record-types.ts'

/** A logo is a new file, or '' for none. */
export type SettingsChange = Partial<UserSettings> | { readonly logo: File | '' }

/**
 * Changes settings of a user. Creates the record if there is none. Throws the server's errors. All requests
 * have the same token, because the person may switch to another account meanwhile.
 */
export async function saveUserSettings(
  user: string,
  change: SettingsChange,
  token: string = pb.authStore.token,
): Promise<UserSettings> {
  const settings = pb.collection<UserSettings>('user_settings')
  const options = { headers: { authorization: token } }
  const found = await findSettings(user, options)
  if (found) return settings.update(found.id, change, options)
  try {
    return await settings.create({ user, ...change }, options)
  } catch (error) {
    const isTaken =
      error instanceof ClientResponseError &&
      error.response.data?.user?.code === 'validation_not_unique'
    const other = isTaken ? await findSettings(user, options) : undefined
    if (!other) throw error
    return settings.update(other.id, change, options)
  }
}

/**
 * The settings of a user; undefined if none were saved. Reads them through the user's record, because that
 * fails with 404 for an invalid token, while a list of settings would only be empty.
 */
export async function findSettings(user: string, options = {}): Promise<UserSettings | undefined> {
  const asked = { expand: 'user_settings_via_user', ...options }
  const found = await pb.collection<User>('users').getOne(user, asked)
  return found.expand?.user_settings_via_user
}
