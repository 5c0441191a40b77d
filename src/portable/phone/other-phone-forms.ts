/** Second forms of numbers in E.164 without their `+`, and what their country's plan has instead. */
const OTHER_FORMS: readonly (readonly [form: string, number: string])[] = [
  // Mexico, until 2019: a 1 for mobile phones from abroad, 01, 044 and 045 within the country
  ['52(?:1|01|04[45])(?=[2-9][0-9]{9}$)', '52'],
  // Argentina: a 9 for mobile phones from abroad, 15 behind the area code within the country
  ['549?1115(?=[0-9]{8}$)', '54911'],
  ['549?([23][0-9]{2})15(?=[0-9]{7}$)', '549$1'],
  ['549?([23][0-9]{3})15(?=[0-9]{6}$)', '549$1'],
  ['54(?=(?:11|[23][0-9])[0-9]{8}$)', '549'],
  // Brazil, 2012 to 2016: a 9 before the number of a mobile phone
  ['55([1-9][1-9])(?=[689][0-9]{7}$)', '55$19'],
  // Ivory Coast, 2021, and Benin, 2024: the network's two digits before eight
  ['225(?=[014-9][0-3][0-9]{6}$)', '22501'],
  ['225(?=[014-9][4-6][0-9]{6}$)', '22505'],
  ['225(?=[014-9][7-9][0-9]{6}$)', '22507'],
  ['229(?=[0-9]{8}$)', '22901'],
  // trunk prefixes other than 0: North America, Russia and Kazakhstan, Lithuania, Belarus, Central Asia
  ['11(?=[2-9][0-9]{9}$)', '1'],
  ['78(?=[0-9]{10}$)', '7'],
  ['3708(?=[0-9]{8}$)', '370'],
  ['375(?:80?|0)(?=[0-9]{9}$)', '375'],
  ['9938(?=[0-9]{8}$)', '993'],
  ['99([28])8(?=[0-9]{9}$)', '99$1'],
]

const REPLACEMENTS = OTHER_FORMS.map(
  ([form, number]) => [new RegExp(`^\\+${form}`), `+${number}`] as const,
)

/** A number in E.164 as its country's plan has it today. */
export function toPresentForm(phone: string): string {
  for (const [form, number] of REPLACEMENTS)
    if (form.test(phone)) return phone.replace(form, number)
  return phone
}

/** National numbers of these plans, with digits in brackets that some forms lack. */
const OPTIONAL_DIGITS: readonly (readonly [number: RegExp, national: string])[] = [
  [/^\+549(..)(.)(.)(.{6})$/, '(9)$1(15)$2(15)$3(15)$4'],
  [/^\+55(..)9([689].{7})$/, '$1(9)$2'],
  [/^\+225(0[157])(.{8})$/, '($1)$2'],
  [/^\+22901(.{8})$/, '(01)$1'],
]

/** The national part of a number, with digits in brackets that its other forms have or lack. */
export function writeNationalForms(phone: string, national: string): string {
  const [number, forms] = OPTIONAL_DIGITS.find(([one]) => one.test(phone)) ?? []
  return number ? phone.replace(number, forms!) : national
}

/** The first digits of numbers, with or without `+`, as the numbers themselves begin today. */
export const toPresentPrefix = (digits: string): string =>
  digits.replace(/^(\+?52)1(?=[2-9]|$)/, '$1').replace(/^(\+?54)(?=[1-3])/, '$19')

/** A regular expression, of JavaScript and of Postgres, for second forms of numbers in E.164. */
export const OTHER_FORM = `^\\+(?:${OTHER_FORMS.map(([form]) => form).join('|')})`
const ANY_FORM = new RegExp(OTHER_FORM)

/** Whether a text is a number in E.164 in a second form. */
export const isOtherForm = (text: string): boolean => ANY_FORM.test(text)
