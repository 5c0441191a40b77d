import { LABEL_COLORS, type LabelColor } from '#portable/label-colors.ts'
import { t } from '../language/words.ts'
import { pb } from './client.ts'
import { changeRecord } from './optimistic.ts'
import { readUserId } from './session.ts'
import { workInParallel } from './use/use-task.ts'

export interface Label {
  readonly id: string
  readonly name: string
  readonly color: LabelColor
}

/** A conversation or contact. */
interface Labelled {
  readonly id: string
  readonly collectionName: string
  readonly labels: readonly string[]
}

/** The most labels of a conversation or contact. */
export const MOST_LABELS = 20

export const COLOR_WORDS: Readonly<Record<LabelColor, string>> = {
  gray: t('gray'),
  red: t('red'),
  orange: t('orange'),
  yellow: t('yellow'),
  green: t('green'),
  teal: t('teal'),
  blue: t('blue'),
  purple: t('purple'),
}

/** Creates a label. Its color is the next one of the palette. */
export const createLabel = (name: string, known: readonly Label[]): Promise<Label> =>
  pb.collection<Label>('labels').create({
    user: readUserId(),
    name,
    color: LABEL_COLORS[1 + (known.length % (LABEL_COLORS.length - 1))],
  })

/**
 * Adds a label to records, or removes it, and shows that at once. Sends the difference alone: another person
 * may change other labels meanwhile.
 */
export const setLabel = (
  records: readonly Labelled[],
  id: string,
  isOn: boolean,
): Promise<unknown> =>
  workInParallel(
    records.filter(({ labels }) => labels.includes(id) !== isOn),
    (record) => {
      const labels = isOn ? [...record.labels, id] : record.labels.filter((one) => one !== id)
      const change = { [isOn ? 'labels+' : 'labels-']: id }
      return changeRecord(record.collectionName, record.id, { labels }, change)
    },
  )
