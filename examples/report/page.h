/* The page before and behind its data, as embed.py makes it of page.html, page.css and scripts. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

extern const unsigned char page_before[], page_behind[];
extern const unsigned long page_before_size, page_behind_size;

#endif
