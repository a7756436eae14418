import { language } from '@quartet/kit';
import type { Text } from './types.ts';

/** A text of a plugin in the viewer's language. */
export const said = (text: Text | null | undefined): string => text?.[language.current] ?? '';
