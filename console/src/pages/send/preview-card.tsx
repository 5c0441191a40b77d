import { formatPhone } from '#portable/phone/format-phone.ts'
import type { Fault } from '../../data/fault.ts'
import type { Template } from '../../data/record-types.ts'
import type { ChosenFile } from '../../data/use/chosen-files.ts'
import { useNames } from '../../data/use/use-known.ts'
import { t } from '../../language/words.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { FileThumbs } from '../../parts/form/add-pictures.tsx'
import { PhonePreview } from '../../parts/message/phone-preview.tsx'
import type { Preview } from './composition.ts'

const SHOWN = 3

export function PreviewCard({
  preview,
  fault,
  hasText,
  isPersonal,
  files,
  template,
}: {
  preview: Preview | undefined
  fault: Fault | undefined
  hasText: boolean
  isPersonal: boolean
  files: readonly ChosenFile[]
  /** The template of the text, whose pictures are sent with it. */
  template: Template | undefined
}) {
  const told = preview?.items.filter((item) => !item.opted_out && !item.without_consent) ?? []
  // those whose texts are the longest first, then the shortest: their values may be empty
  const sorted = [...told].sort((a, b) => b.body.length - a.body.length)
  const items = isPersonal
    ? [...new Set([sorted[0], sorted.at(-1), ...told])].flatMap((one) => one ?? []).slice(0, SHOWN)
    : told.slice(0, 1)
  const findName = useNames(items.map(({ to }) => to))
  const rest = told.length - items.length
  const hasBody = preview !== undefined && preview.body !== ''
  const texts =
    items.length === 0
      ? [{ who: '', body: preview?.body ?? '', segments: preview?.segments ?? 0 }]
      : items.map(({ to, body, segments }) => ({
          who: isPersonal || rest === 0 ? findName(to) || formatPhone(to) : '',
          body,
          segments,
        }))
  return (
    <section class="send-preview">
      <h2 class="unseen">{t('As it will arrive')}</h2>
      <PhonePreview texts={hasBody ? texts : []}>
        <FileThumbs files={files} />
        {template && <Attachments record={template} />}
        {!hasBody && <p class="muted">{explainNoText(preview, hasText, fault)}</p>}
      </PhonePreview>
      {rest > 0 && items.length > 0 && hasBody && (
        <p class="muted">
          {isPersonal
            ? t('and {count} more, each their own', { count: rest })
            : t('The same text goes to each of the {count}.', { count: rest + 1 })}
        </p>
      )}
    </section>
  )
}

function explainNoText(
  preview: Preview | undefined,
  hasText: boolean,
  fault: Fault | undefined,
): string {
  if (!hasText) return t('Write a text to see it here.')
  if (preview) return t('No text, only files.')
  if (fault?.code === 'too_many_recipients')
    return t('For so many people you see the text and its segments before it is sent.')
  return fault?.message ?? t('Counting')
}
