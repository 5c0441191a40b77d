import { formatPhone } from '#portable/phone/format-phone.ts'
import type { Fault } from '../../data/fault.ts'
import type { Template } from '../../data/record-types.ts'
import type { ChosenFile } from '../../data/use/chosen-files.ts'
import { useNames } from '../../data/use/use-known.ts'
import { t } from '../../language/words.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { FileThumbs } from '../../parts/form/add-pictures.tsx'
import { Bubble } from '../../parts/message/bubble.tsx'
import { Card } from '../../parts/page.tsx'
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
  const items = told.slice(0, isPersonal ? SHOWN : 1)
  const findName = useNames(items.map(({ to }) => to))
  const rest = told.length - items.length
  return (
    <Card title={t('As it will arrive')}>
      <FileThumbs files={files} />
      {template && <Attachments record={template} />}
      {!preview || preview.body === '' ? (
        <p class="muted">{explainNoText(preview, hasText, fault)}</p>
      ) : (
        <div class="stack">
          {items.length === 0 && <Bubble who="" body={preview.body} segments={preview.segments} />}
          {items.map(({ to, body, segments }) => (
            <Bubble
              key={to}
              who={isPersonal || rest === 0 ? findName(to) || formatPhone(to) : ''}
              body={body}
              segments={segments}
            />
          ))}
          {rest > 0 && items.length > 0 && (
            <p class="muted">
              {isPersonal
                ? t('and {count} more, each their own', { count: rest })
                : t('The same text goes to each of the {count}.', { count: rest + 1 })}
            </p>
          )}
        </div>
      )}
    </Card>
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
    return t('For so many people the text and what it takes are shown before it is sent.')
  return fault?.message ?? t('Counting…')
}
