import type { ComponentChildren } from 'preact'
import './phone-preview.css'
import { Bubble } from './bubble.tsx'

interface PreviewText {
  /** The recipient, or ''. */
  readonly who: string
  readonly body: string
  readonly segments: number
}

/** Texts as they will arrive on a phone. `children`: what is shown above them, such as pictures. */
export const PhonePreview = ({
  texts,
  children,
}: {
  texts: readonly PreviewText[]
  children?: ComponentChildren
}) => (
  <div class="phone-preview">
    <div class="phone-preview-screen">
      {children}
      {texts.map((text, at) => (
        <Bubble key={at} {...text} />
      ))}
    </div>
  </div>
)
