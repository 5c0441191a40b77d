import { locale } from '../../language/language.ts'
import { t, tn } from '../../language/words.ts'
import { parseDate } from '../text/local-time.ts'
import { hour } from '../text/relative-time.ts'

/** A text or a note, as the file of a conversation has it. */
export interface Line {
  readonly at: string
  readonly who: string
  readonly text: string
  readonly files: number
  /** The state of a text that did not leave; '' for others. */
  readonly state: string
}

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })

/** A conversation as plain text: a heading for each day, and a paragraph for each text or note. */
export function writeConversation(title: string, lines: readonly Line[]): string {
  const sorted = lines.toSorted((a, b) => (a.at < b.at ? -1 : 1))
  const days = Map.groupBy(sorted, ({ at }) => day.format(parseDate(at)))
  const parts = [...days].map(([name, those]) => [name, ...those.map(writeLine)].join('\n\n'))
  return `${[title, ...parts].join('\n\n\n')}\n`
}

function writeLine({ at, who, text, files, state }: Line): string {
  const head = `${hour.format(parseDate(at))} ${who}${state && ` (${state})`}:`
  const attached = files > 0 ? [`[${tn('1 file', '{count} files', files)}]`] : []
  return [head, ...(text ? [text] : []), ...attached].join('\n')
}

/** The name of a conversation's file, without characters that file systems refuse. */
export const nameConversationFile = (who: string): string =>
  `${t('Conversation with {name}', { name: who }).replace(/[\\/:*?"<>|]/g, ' ')}.txt`
