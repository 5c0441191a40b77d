import { isUtf8 } from 'node:buffer'
import PostalMime, { type Attachment, type PostalMimeOptions } from 'postal-mime'
import { sniffContentType } from '../../engine/files/sniff-content-type.ts'
import type { MimePart } from './charsets.ts'

/** A file of a mail. Its type is that of its bytes, if they have a signature, else its sender's. */
export interface MailFile extends Pick<Attachment, 'filename' | 'mimeType' | 'disposition'> {
  readonly bytes: Buffer
  /** The Content-ID without its brackets; '' for none. */
  readonly id: string
  /** The Content-Location; '' for none. */
  readonly location: string
  /** Whether the part belongs to a page: it is in a `multipart/related`. */
  readonly isRelated: boolean
}

/** A text of a mail in its forms; '' for a form that it lacks. */
export interface MailText {
  readonly plain: string
  readonly html: string
}

type TextForms = Partial<Record<keyof MailText, readonly { readonly value: string }[]>>

/** Members that postal-mime's parts have besides its types. */
interface Parser extends Pick<PostalMime, 'parse'> {
  readonly root: MimePart
  readonly textMap: ReadonlyMap<unknown, TextForms>
  collectNode(node: MimePart, alternative: MimePart | false, related: boolean): Promise<void>
  collectAttachment(node: MimePart, content: ArrayBuffer, related: boolean, isDeep: boolean): void
  readonly attachments: readonly Attachment[]
}

const Base = PostalMime as unknown as new (options: PostalMimeOptions) => Parser

/** Types whose signatures decide, whatever a sender says. Cameras declare pictures as `octet-stream`. */
const SIGNED = /^(?:(?:image|video|audio)\/|application\/(?:pdf|zip)$)/
/** Types that a text cannot be. SVG is one. */
const NO_TEXT = /^(?:image\/(?!svg)|video\/)/

/**
 * Charsets that programs declare for a text in an unknown one: cron without a locale ASCII, Sendmail
 * `unknown-8bit`, Pine `X-UNKNOWN`. RFC 1428
 */
const UNDECLARED = /^(?:us-ascii|ansi_x3\.4-1968|unknown-8bit|x-unknown)$/i

/** Reads a mail into its texts and files. */
export class MailParser extends Base {
  readonly files: MailFile[] = []

  get texts(): readonly MailText[] {
    const join = (forms: readonly { readonly value: string }[] = []) =>
      forms.map(({ value }) => value).join('\n')
    return [...this.textMap.values()].map(({ plain, html }) => ({
      plain: join(plain),
      html: join(html),
    }))
  }

  override async collectNode(node: MimePart, alternative: MimePart | false, related: boolean) {
    const { contentType, content } = node
    if (content && node.childNodes.length === 0) {
      const bytes = Buffer.from(content)
      const { type } = await sniffContentType(bytes)
      const { parsed } = contentType
      const isText = parsed.value.startsWith('text/')
      if ((isText ? NO_TEXT : SIGNED).test(type)) parsed.value = type
      if (isText && UNDECLARED.test(parsed.params.charset ?? ''))
        parsed.params.charset = isUtf8(bytes) ? 'utf-8' : 'windows-1252'
    }
    return super.collectNode(node, alternative, related)
  }

  override collectAttachment(
    node: MimePart,
    content: ArrayBuffer,
    related: boolean,
    isDeep: boolean,
  ): void {
    super.collectAttachment(node, content, related, isDeep)
    const { contentId = '', ...file } = this.attachments.at(-1)!
    const line = node.rawHeaderLines.find(({ key }) => key === 'content-location')?.line ?? ''
    this.files.push({
      ...file,
      bytes: Buffer.from(content),
      id: contentId.trim().replace(/^<|>$/g, ''),
      location: line.slice(line.indexOf(':') + 1).trim(),
      isRelated: related,
    })
  }
}
