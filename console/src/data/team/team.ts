import type { RecordModel } from 'pocketbase'
import { t } from '../../language/words.ts'
import type { TeamRole } from '../session.ts'

/** A user who may act for an account. Its id is that of the record of `senders` with the name. */
export interface Member extends RecordModel {
  readonly account: string
  readonly member: string
  readonly role: MemberRole
  readonly notify: Notify
  readonly created: string
}

/** A note of the account's people about a conversation, which is never sent. */
export interface Note extends RecordModel {
  readonly conversation: string
  /** The id of a sender. */
  readonly author: string
  readonly text: string
  /** Ids of senders. */
  readonly mentions: readonly string[]
  readonly created: string
}

export interface Invitation extends RecordModel {
  /** '' for a link, which works for everyone who has it. */
  readonly email: string
  readonly role: MemberRole
  readonly expires: string
  readonly created: string
}

export type MemberRole = Exclude<TeamRole, 'owner' | 'none'>
/** Which texts notify a person; '' is `all`. */
export type Notify = '' | 'all' | 'mine' | 'none'

export const ROLE_WORDS: Readonly<Record<MemberRole | 'owner', string>> = {
  owner: t('Owner'),
  admin: t('Admin'),
  agent: t('Agent'),
  viewer: t('Viewer'),
}
