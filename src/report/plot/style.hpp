// The style sheet and the script of report pages. Pure.
// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// The style of pictures: colors as variables, light and dark, from the palette of Okabe and Ito
/// (jfly.uni-koeln.de/color, 2008), which people with color blindness can tell apart.
const char* plot_style();

/// The style of the page around them: narrow and wide screens, and paper.
const char* page_style();

/// Sorts and filters tables, and shows the texts of marks at once. The page is complete without it.
const char* page_script();

}  // namespace sheaf
