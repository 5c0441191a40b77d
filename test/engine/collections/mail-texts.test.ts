import {
  MAIL_TEMPLATES,
  translateMailTemplate,
} from '../../../src/engine/collections/mail-texts.ts'
import { LANGUAGES } from '../../../src/portable/languages.ts'

test.each(LANGUAGES.filter((language) => language !== 'en'))(
  'the mail templates in %s have the placeholders and links of those of PocketBase',
  (language) => {
    const read = ({ body }: { body: string }) => body.match(/\{\w+\}|href="[^"]+"|<\/?\w+/g)
    for (const name of Object.keys(MAIL_TEMPLATES) as (keyof typeof MAIL_TEMPLATES)[]) {
      const usual = MAIL_TEMPLATES[name]
      const found = translateMailTemplate(name, usual, language)!
      expect(read(found)!.toSorted(), name).toEqual(read(usual)!.toSorted())
      expect(translateMailTemplate(name, { ...usual, body: `${usual.body} ` }, language)).toBe(
        undefined,
      )
    }
  },
)
