import type { Kind } from './extensions';

/** defaults are the lists of a fresh installation. */
export const defaults: Record<Kind, string> = {
  text: 'txt,htm,html,xml,java,properties,sql,js,md,json,conf,ini,vue,php,py,bat,yml,go,sh,c,cpp,h,hpp,tsx,vtt,srt,ass,rs,lrc,dockerfile,makefile,gitignore,license,readme',
  audio: 'mp3,flac,ogg,m4a,wav,opus,wma',
  video: 'mp4,mkv,avi,mov,rmvb,webm,flv,m3u8,ts,m2ts',
  image: 'jpg,tiff,jpeg,png,gif,bmp,svg,ico,swf,webp,avif',
  office: 'doc,docx,xls,xlsx,ppt,pptx,rtf',
  document: 'pdf',
};
