import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import type { Services } from '../../http/request-context.ts'
import { EVERY_MINUTE, type Feature, type QueuedServices } from '../base/feature.ts'
import { makeUserSending, type Sending } from '../messages/send/make-user-sending.ts'
import {
  autoAnswersExtension,
  conversationsExtension,
  draftsExtension,
  notesExtension,
} from './conversation-extensions.ts'
import { CONVERSATION_DATA } from './personal-data.ts'
import { reopenDueFollowUps } from './reopen-follow-ups.ts'
import { makeAnswerJobs } from './send-auto-answers.ts'

export const CONVERSATIONS: Feature<Services, QueuedServices & { readonly sending: Sending }> = {
  personalData: CONVERSATION_DATA,
  extensions: () => ({
    conversations: makeStrictExtension(conversationsExtension),
    conversation_notes: makeStrictExtension(notesExtension),
    conversation_drafts: makeStrictExtension(draftsExtension),
    auto_answers: makeStrictExtension(autoAnswersExtension),
  }),
  timed: ({ store }) => [
    { id: 'followUps', ...EVERY_MINUTE, run: () => reopenDueFollowUps(store.db) },
  ],
  queued: ({ store, sending }) => [makeAnswerJobs(makeUserSending(store, sending))],
}
