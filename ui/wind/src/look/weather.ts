import CloudDrizzle from '@lucide/svelte/icons/cloud-drizzle';
import CloudHail from '@lucide/svelte/icons/cloud-hail';
import CloudMoon from '@lucide/svelte/icons/cloud-moon';
import CloudMoonRain from '@lucide/svelte/icons/cloud-moon-rain';
import CloudRain from '@lucide/svelte/icons/cloud-rain';
import CloudRainWind from '@lucide/svelte/icons/cloud-rain-wind';
import CloudSnow from '@lucide/svelte/icons/cloud-snow';
import CloudSun from '@lucide/svelte/icons/cloud-sun';
import CloudSunRain from '@lucide/svelte/icons/cloud-sun-rain';
import Cloudy from '@lucide/svelte/icons/cloudy';
import Moon from '@lucide/svelte/icons/moon';
import Snowflake from '@lucide/svelte/icons/snowflake';
import Sun from '@lucide/svelte/icons/sun';
import type { Icon } from '@quartet/kit';
import * as m from '../paraglide/messages.js';

export interface Weather {
  icon: Icon;
  text: string;
  /** Selects the colour. */
  kind: 'sun' | 'moon' | 'cloud' | 'rain' | 'snow';
}

type Known = [text: () => string, kind: Weather['kind'], day: Icon, night?: Icon];

/** Codes of the WMO; the server adds 100 at night. */
const NIGHT = 100;
const KNOWN: Record<number, Known> = {
  0: [m.weather_clear, 'sun', Sun, Moon],
  1: [m.weather_few_clouds, 'sun', CloudSun, CloudMoon],
  2: [m.weather_partly_cloudy, 'cloud', CloudSun, CloudMoon],
  3: [m.weather_overcast, 'cloud', Cloudy],
  61: [m.weather_light_rain, 'rain', CloudDrizzle],
  63: [m.weather_rain, 'rain', CloudRain],
  65: [m.weather_heavy_rain, 'rain', CloudRainWind],
  68: [m.weather_sleet, 'snow', CloudHail],
  69: [m.weather_heavy_sleet, 'snow', CloudHail],
  71: [m.weather_light_snow, 'snow', CloudSnow],
  73: [m.weather_snow, 'snow', CloudSnow],
  75: [m.weather_heavy_snow, 'snow', Snowflake],
  80: [m.weather_light_showers, 'rain', CloudSunRain, CloudMoonRain],
  81: [m.weather_showers, 'rain', CloudSunRain, CloudMoonRain],
  82: [m.weather_heavy_showers, 'rain', CloudRainWind],
  83: [m.weather_sleet_showers, 'snow', CloudHail],
  84: [m.weather_sleet_showers, 'snow', CloudHail],
  85: [m.weather_snow_showers, 'snow', CloudSnow],
  86: [m.weather_snow_showers, 'snow', CloudSnow],
};

/** Returns null for a code that this page does not know. */
export function weatherOf(symbol: number): Weather | null {
  const atNight = symbol >= NIGHT;
  const known = KNOWN[symbol % NIGHT];
  if (!known) return null;
  const [text, kind, day, night] = known;
  return {
    icon: (atNight && night) || day,
    text: text(),
    kind: atNight && kind === 'sun' ? 'moon' : kind,
  };
}
