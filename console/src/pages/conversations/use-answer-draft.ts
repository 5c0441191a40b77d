import { useEffect, useRef } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { listTextsOnTheWay } from '../../data/connection/outbox.ts'
import type { Conversation, RecordOf } from '../../data/record-types.ts'
import { hasTeamRole, readUserId, session } from '../../data/session.ts'
import { type Draft, useDraft } from '../../data/use/use-draft.ts'
import { type List, useList } from '../../data/use/use-list.ts'

type AnswerDraft = RecordOf<'conversation_drafts'>

const MOST = 200
/** The draft is sent to the server after a pause of this length in typing. */
const PAUSE_MS = 1_500
/** Sending waits this long at most for the draft to be stored. localStorage keeps the text anyway. */
const KEEP_MS = 1_000

/** This person's drafts on the server: those of one conversation, by default of all; none for ''. */
export const useAnswerDrafts = (conversation?: string): List<AnswerDraft> =>
  useList('conversation_drafts', {
    filter: pb.filter(
      `author = {:author}${conversation ? ' && conversation = {:conversation}' : ''}`,
      {
        author: session.value?.sender,
        conversation,
      },
    ),
    sort: '-updated',
    perPage: MOST,
    ready: conversation !== '',
  })

interface KeptDraft extends Draft<string> {
  /** Makes the draft on the server begin the text, before it is sent. Waits at most KEEP_MS; never throws. */
  keep(): Promise<void>
  /** Call it when the text is sent: the server deletes the draft. */
  sent(): void
}

/**
 * The text of the answer box. The tab stores it at each change, the server after a pause in typing, for the
 * person's other browsers.
 */
export function useAnswerDraft(number: string, conversation: Conversation | undefined): KeptDraft {
  const { items, loading } = useAnswerDrafts(conversation?.id ?? '')
  const [stored] = items
  /** Id and text of the draft that was sent last: the server may not have deleted it yet. */
  const gone = useRef('')
  const heard = stored && makeKey(stored) !== gone.current ? stored.text : ''
  const isSent = listTextsOnTheWay(number).some(
    ({ request, note }) => !note && request.body.startsWith(heard),
  )
  /**
   * The draft that this tab is writing to the server, and the text that it replaces. It must not come back as
   * news: see `put`.
   */
  const writing = useRef<{ text: string; over: string } | undefined>(undefined)
  const isOwn = writing.current?.text === heard
  const text = isOwn ? writing.current!.over : isSent ? '' : heard
  const draft = useDraft(`answer.${number}`, text, { lasts: true })
  const latest = useRef({ conversation, draft, loading, text })
  latest.current = { conversation, draft, loading, text }
  /** The draft on the server, as this tab saw it last. */
  const known = useRef(stored)
  useEffect(() => {
    known.current = stored
  }, [stored])
  const last = useRef(Promise.resolve())
  const writer = useRef(session.value?.sender).current

  const put = async ({ conversation, draft, loading }: typeof latest.current) => {
    // while loading, the server may already have a draft
    if (!hasTeamRole('agent') || !conversation || loading || !draft.isChanged) return
    if (session.peek()?.sender !== writer) return // the account was changed meanwhile
    if (draft.value === (known.current?.text ?? '')) return
    const drafts = pb.collection<AnswerDraft>('conversation_drafts')
    const { id } = known.current ?? {}
    const body = { user: readUserId(), conversation: conversation.id, text: draft.value }
    const write = { text: draft.value, over: latest.current.text }
    writing.current = write
    try {
      if (!id) known.current = await drafts.create(body)
      else if (draft.value !== '') known.current = await drafts.update(id, { text: draft.value })
      else {
        await drafts.delete(id)
        known.current = undefined
      }
      // what was typed meanwhile is a change of the text just written, even if it equals the one before
      if (writing.current === write) draft.savedAs(write.text)
    } finally {
      writing.current = undefined
    }
  }
  const keep = () => {
    // after a failure this tab still has the text, and the next pause in typing tries again
    const now = latest.current
    last.current = last.current.then(() => put(now)).catch(() => {})
  }
  const keepForSending = () => {
    const now = latest.current
    const isPart = () => now.draft.value.startsWith(known.current?.text ?? '')
    last.current = last.current.then(() => (isPart() ? undefined : put(now))).catch(() => {})
    return Promise.race([last.current, new Promise<void>((done) => setTimeout(done, KEEP_MS))])
  }
  useEffect(() => {
    if (!draft.isChanged) return
    const timer = setTimeout(keep, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft.value, draft.isChanged, loading])
  useEffect(() => keep, [])
  const sent = () => {
    writing.current = undefined
    void last.current.then(() => {
      gone.current = makeKey(known.current)
      known.current = undefined
    })
    draft.saved('')
  }
  return { ...draft, keep: keepForSending, sent }
}

const makeKey = (draft: AnswerDraft | undefined) => `${draft?.id} ${draft?.text}`
