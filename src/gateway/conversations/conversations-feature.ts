import { strict } from '../../engine/records/collection-extension.ts'
import type { Services } from '../../http/context.ts'
import { EVERY_MINUTE, type Feature, type QueuedServices } from '../base/feature.ts'
import { type Sending, sendingFor } from '../messages/send/user-sending.ts'
import { makeAnswerJobs } from './auto-answer.ts'
import {
  autoAnswersExtension,
  conversationsExtension,
  draftsExtension,
  notesExtension,
} from './conversation-extensions.ts'
import { bringBackDue } from './reopen-follow-ups.ts'

/** The inbox: texts by number, notes, drafts, automatic answers. */
export const CONVERSATIONS: Feature<Services, QueuedServices & { readonly sending: Sending }> = {
  extensions: () => ({
    conversations: strict(conversationsExtension),
    conversation_notes: strict(notesExtension),
    conversation_drafts: strict(draftsExtension),
    auto_answers: strict(autoAnswersExtension),
  }),
  timed: ({ store }) => [{ id: 'followUps', ...EVERY_MINUTE, run: () => bringBackDue(store.db) }],
  queued: ({ store, sending }) => [makeAnswerJobs(sendingFor(store, sending))],
}
