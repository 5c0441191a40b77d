import type { User } from '../../data/records.ts'

/** Whether a user is disabled, by the settings that the list of users expands. */
export const isDisabled = ({ expand }: User): boolean => expand?.user_settings_via_user?.disabled === true
