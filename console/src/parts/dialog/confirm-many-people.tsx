import type { ComponentChildren } from 'preact'
import { pb } from '../../data/client.ts'
import type { ChosenFile } from '../../data/use/chosen-files.ts'
import { t, tn } from '../../language/words.ts'
import { FileThumbs } from '../form/add-pictures.tsx'
import { OnlySimulated } from '../form/send-notices.tsx'
import { askToConfirm } from './dialog.tsx'
import './confirm-many-people.css'

/** A send to more recipients than this must be confirmed first, and can be undone for some seconds. */
export const MAX_PLAIN = 20

interface ManyPeople {
  readonly people: number
  readonly what: ComponentChildren
  readonly firstText: string
  /** Pictures and other files of each text. */
  readonly files?: readonly ChosenFile[]
  readonly cost: ComponentChildren
  readonly begins: ComponentChildren
  readonly isLater: boolean
  /** How it repeats, as `writeRepeatSentence` words it; absent for a campaign that runs once. */
  readonly repeats?: string
}

/** Asks for confirmation before a send to many people. Shows the first text as it will arrive. */
export async function confirmManyPeople({
  people,
  what,
  firstText,
  files = [],
  cost,
  begins,
  isLater,
  repeats,
}: ManyPeople): Promise<boolean> {
  const words = formatPeopleCount(people)
  const isSimulated = await hasOnlySimulated()
  return askToConfirm({
    title: repeats
      ? t('Repeat it for {people}?', { people: words })
      : isLater
        ? t('Schedule for {people}?', { people: words })
        : t('Send to {people}?', { people: words }),
    text: (
      <>
        {isSimulated && <OnlySimulated />}
        {repeats && (
          <p>
            <strong>{repeats}</strong>
          </p>
        )}
        <p>{what}</p>
        <FileThumbs files={files} />
        {firstText && <p class="many-first">{firstText}</p>}
        {cost}
        <p class="muted">{begins}</p>
      </>
    ),
    action: repeats
      ? t('Start repeating')
      : isLater
        ? t('Schedule for {people}', { people: words })
        : t('Send to {people}', { people: words }),
    keep: t('Not yet'),
    careful: true,
  })
}

/** Whether the user has no real device. Throws ClientResponseError if the request fails. */
async function hasOnlySimulated(): Promise<boolean> {
  const options = { filter: 'platform != "simulator"', fields: 'id', skipTotal: true }
  const { items } = await pb.collection('devices').getList(1, 1, options)
  return items.length === 0
}

export const formatPeopleCount = (count: number): string => tn('1 person', '{count} people', count)
