import { t } from '../../language/words.ts'
import type { RecordOf } from '../records.ts'

/** A user who may act for an account. The record in `senders` with the user's name has the same id. */
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
