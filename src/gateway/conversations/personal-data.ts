import { sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import {
  DATES,
  makePlace,
  makeRecordStep,
  matchNumber,
  type PersonalData,
  type PersonRows,
} from '../base/personal-data.ts'

const selectByConversation: PersonRows = ({
  user,
  forms,
}) => sql`(t."user" = ${user} and t.conversation in (
  select c.id from conversations c where c."user" = ${user} and c.number = ${matchAny(forms)}))`

export const CONVERSATION_DATA: PersonalData = {
  places: [
    makePlace({
      table: '_jobs',
      title: 'Automatic answers that wait',
      phase: 'texts',
      key: 'id',
      rows: (_, texts) => sql`(t.kind = 'answer' and t.key = any(${texts}))`,
      erasure: 'delete',
    }),
    makePlace({
      table: 'auto_answers_sent',
      title: 'Automatic answers',
      rows: matchNumber(),
      key: 'message',
      shown: ['message', 'answer', 'at'],
      onPage: ['at', 'answer'],
      erasure: 'delete',
    }),
    makePlace({
      table: 'conversation_drafts',
      title: 'Drafts',
      rows: selectByConversation,
      shown: ['id', 'author', 'text', ...DATES],
      onPage: ['text', 'author', 'created', 'updated'],
      erasure: 'records',
      logged: { text: '' },
    }),
    makePlace({
      table: 'conversation_notes',
      title: 'Notes',
      rows: selectByConversation,
      shown: ['id', 'author', 'text', ...DATES],
      onPage: ['text', 'author', 'mentions', 'created', 'updated'],
      erasure: 'records',
      logged: { text: '' },
    }),
    makePlace({
      table: 'conversations',
      title: 'Conversation',
      after: ['conversation_drafts', 'conversation_notes'],
      rows: matchNumber(),
      shown: [
        'id',
        'number',
        'name',
        'last_text',
        'last_at',
        'failure',
        'blocked',
        'archived',
        'assignee',
        'labels',
        ...DATES,
      ],
      onPage: [
        'name',
        'number',
        'last_at',
        'assignee',
        'labels',
        'blocked',
        'archived',
        'follow_up_at',
        'created',
      ],
      erasure: 'records',
      logged: { number: '', name: '', last_text: '', failure: '' },
    }),
  ],
  mentions: [
    makeRecordStep('conversations', ['name', 'last_text', 'failure']),
    makeRecordStep('conversation_notes', ['text']),
    makeRecordStep('conversation_drafts', ['text']),
    makeRecordStep('auto_answers', ['name']),
  ],
  noPlaces: { auto_answers: 'answers that the account wrote for all senders' },
}
