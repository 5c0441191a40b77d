import { t } from '../../language/words.ts'
import type { RecordOf } from '../record-types.ts'

/** A user who may act for an account. The user's name is in the record with the same id in `senders`. */
export type Member = RecordOf<'members'>
export type Note = RecordOf<'conversation_notes'>
/** An invitation by mail, or by a link that anyone may use (`email` ''). */
export type Invitation = RecordOf<'member_invitations'>

export type MemberRole = Member['role']
export type Notify = Member['notify']

export const ROLE_WORDS: Readonly<Record<MemberRole | 'owner', string>> = {
  owner: t('Owner'),
  admin: t('Admin'),
  agent: t('Agent'),
  viewer: t('Viewer'),
}
