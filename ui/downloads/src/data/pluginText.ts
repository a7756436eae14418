import { language } from '@quartet/kit';
import type { Text } from './types.ts';

/** A plugin's text in the user's language. */
export const pluginText = (text: Text | null | undefined): string => text?.[language.current] ?? '';
