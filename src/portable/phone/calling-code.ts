/**
 * The calling code of an E.164 number, such as `+49`. For countries that share `+1` with the USA and Canada,
 * or `+7` with Russia, it includes the area code, such as `+1876` for Jamaica. ITU-T E.164 list
 */
export const readCallingCode = (number: string): string =>
  (SHARED.exec(number) ?? CALLING_CODE.exec(number)!)[0]

const SHARED =
  /^\+(?:1(?:242|246|264|268|284|34[05]|441|473|649|658|664|67[01]|684|721|758|767|78[47]|8[024]9|86[89]|876|939)|7(?:[67]|840|940))/

const CALLING_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{1,3})/
