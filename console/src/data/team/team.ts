import { t } from '../../language/words.ts'
import type { MemberRole } from '../record-types.ts'

export const ROLE_WORDS: Readonly<Record<MemberRole | 'owner', string>> = {
  owner: t('Owner'),
  admin: t('Admin'),
  agent: t('Agent'),
  viewer: t('Viewer'),
}
