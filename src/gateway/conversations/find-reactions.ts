import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { readReaction } from '../../portable/read-reaction.ts'
import { readWrittenText, type TextWithSubject } from '../../portable/written-words.ts'

/** Texts to a number that a quote is compared with, at most. */
const MAX_SENT = 50

/**
 * Finds the reactions of phones among texts. Asks only for a text that ends with a quote and has the
 * words of no known language: it is a reaction if it quotes the beginning of a text that the person got.
 */
export async function findReactions<Text extends TextWithSubject & { readonly from: string }>(
  db: Db,
  user: string,
  texts: readonly Text[],
): Promise<ReadonlySet<Text>> {
  const found = new Set<Text>()
  for (const text of texts) {
    const reaction = readReaction(readWrittenText(text).words)
    if (reaction && (reaction.isKnown || (await hasSentText(db, user, text.from, reaction.quote))))
      found.add(text)
  }
  return found
}

async function hasSentText(db: Db, user: string, to: string, quote: string): Promise<boolean> {
  const beginning = quote.replace(/(?:…|\.\.\.)$/, '').trim()
  const spaced = sql<string>`regexp_replace(m.body, '\\s+', ' ', 'g')`
  const sent = await queries(db)
    .selectFrom(({ selectFrom }) =>
      selectFrom('sms_messages as m')
        .select(spaced.as('body'))
        .where('m.user', '=', user)
        .where('m.to', '=', to)
        .where('m.message_type', '=', sql.lit('outgoing'))
        .orderBy('m._rowid', 'desc')
        .limit(sql.lit(MAX_SENT))
        .as('s'),
    )
    .where(sql<boolean>`starts_with(s.body, ${beginning})`)
    .executeTakeFirst()
  return beginning !== '' && sent !== undefined
}
